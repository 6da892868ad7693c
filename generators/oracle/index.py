"""Which module holds the oracle of an operator: known before any of them is imported.

One entry for each module, with the operators that it registers; those of other domains than ONNX's
own as `domain:operator`. A test compares it with what the modules register.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODULES = {
    # The dimensions of a tensor.
    "making.shape": "Shape",
    # The number of elements.
    "making.size": "Size",
    # The same elements in another shape.
    "reshaping.reshape": "Reshape",
    # The input as it is.
    "reshaping.identity": "Identity",
    # One value everywhere.
    "making.filling": "ConstantOfShape",
    # Ones on a diagonal.
    "making.diagonals": "EyeLike",
    # A value in an attribute.
    "making.constants": "Constant",
    # Channels to blocks of pixels, and back.
    "movement.blocks": "DepthToSpace SpaceToDepth",
    # A triangle of each matrix.
    "movement.triangles": "Trilu",
    # The middle of a tensor.
    "movement.centering": "CenterCropPad",
    # The beginning of each sequence turned round.
    "movement.reversing": "ReverseSequence",
    # Numbers at equal distances.
    "making.ranges": "Range",
    # Weights of the elements of a signal.
    "signals.windows": "HannWindow HammingWindow BlackmanWindow",
    "signals.mel": "MelWeightMatrix",
    # Spectra of signals.
    "signals.fourier": "DFT STFT",
    # Random numbers.
    "making.drawing": ("Bernoulli RandomUniform RandomUniformLike RandomNormal RandomNormalLike"),
    # Outcomes drawn by their log-probabilities.
    "making.sampling": "Multinomial",
    # Elements dropped at random.
    "making.dropping": "Dropout",
    # Axes of size 1.
    "reshaping.squeezing": "Squeeze Unsqueeze",
    # The axes in another order.
    "movement.transposing": "Transpose",
    # A matrix of the same elements.
    "reshaping.flattening": "Flatten",
    # Copies along the axes.
    "movement.repeating": "Expand Tile",
    # Tensors one after the other.
    "movement.joining": "Concat",
    # A tensor in parts.
    "movement.splitting": "Split",
    # A part of a tensor, by starts, ends and steps.
    "movement.slicing": "Slice",
    # Elements before and behind each axis.
    "movement.padding": "Pad",
    # Slices put in by index.
    "indexing.scattering": "ScatterND",
    # Slices by index.
    "indexing.gathering": "Gather",
    # Elements by an index each, along one axis.
    "indexing.elements": "GatherElements ScatterElements Scatter",
    # An axis with one element of its own.
    "indexing.one_hot": "OneHot",
    # Each element once.
    "indexing.uniqueness": "Unique",
    # A stretch of a cache.
    "indexing.caches": "TensorScatter",
    # What a condition selects.
    "indexing.conditions": "Compress NonZero",
    # Slices by tuples of indices.
    "indexing.tuples": "GatherND",
    # Sums, differences, products, signs.
    "elementwise.arithmetic": "Add Sub Mul Div Neg",
    # Powers of two elements.
    "elementwise.powers": "Pow",
    # What remains of a division.
    "elementwise.remainders": "Mod",
    # Elements limited to the range between bounds.
    "elementwise.clipping": "Clip",
    # Of several tensors, element by element.
    "elementwise.selecting": "Max Min Sum Mean Where",
    # Truth values of two elements.
    "elementwise.comparison": "Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor",
    # The bits of integers.
    "elementwise.bits": "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitShift",
    # Functions of one real number.
    "elementwise.functions": (
        "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Reciprocal Sin Sinh Sqrt Tan Tanh"
    ),
    # Formulas of one element.
    "elementwise.activations": (
        "Celu Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Selu Sigmoid Softplus"
        " Softsign Swish ThresholdedRelu"
    ),
    # Elements nearer to zero.
    "elementwise.shrinking": "Shrink",
    # Exact functions of one element.
    "elementwise.unary": "Abs Ceil Floor IsInf IsNaN Not Relu Round Sign",
    # Products of matrices.
    "contraction.products": "MatMul",
    "contraction.gemm": "Gemm",
    # The determinant of a matrix.
    "contraction.determinants": "Det",
    # Sums of products by an equation.
    "contraction.einsum": "Einsum",
    # Axes that become one number: sums, products, the greatest and the least.
    "rows.reductions": (
        "ReduceL1 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"
    ),
    # How far scores are from the classes that are meant.
    "rows.losses": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    # Each element with those before it.
    "rows.cumulative": "CumProd CumSum",
    # Where in a row the greatest or the least element is.
    "rows.positions": "ArgMax ArgMin Hardmax",
    # Roots and logarithms of sums over axes.
    "rows.norms": "ReduceL2 ReduceLogSum ReduceLogSumExp",
    # A state carried along a sequence.
    "recurrent.cells": "GRU LSTM RNN",
    # Windows, and channels, each made one element.
    "windows.convolution": "Conv ConvTranspose",
    "windows.causal": "CausalConvWithState",
    # Windows whose elements are between those of a tensor.
    "windows.deformable": "DeformConv",
    # Elements back to where windows found them.
    "windows.unpooling": "Col2Im MaxUnpool",
    "windows.pooling": ("AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool"),
    # Elements at places between elements.
    "resampling.resize": "Resize",
    "resampling.upsample": "Upsample",
    "resampling.grid_sample": "GridSample",
    # Positions to sample at.
    "resampling.flows": "AffineGrid",
    # Regions of images.
    "regions.align": "RoiAlign",
    "regions.pool": "MaxRoiPool",
    # Boxes that overlap.
    "resampling.boxes": "NonMaxSuppression",
    # Channels standardized.
    "normalization.batch": "BatchNormalization",
    "normalization.channels": "GroupNormalization InstanceNormalization",
    # Rows divided by the root of the mean of their squares, or by a norm.
    "normalization.root_mean_square": "RMSNormalization",
    "normalization.norms": "LpNormalization",
    # Elements of mean 0 and variance 1.
    "normalization.mean_variance": "MeanVarianceNormalization",
    # Elements divided by the squares of their neighbours.
    "normalization.local_response": "LRN",
    # The greatest elements of a row.
    "rows.top": "TopK",
    # Rows of mean 0 and variance 1.
    "rows.layer_normalization": "LayerNormalization",
    # Rows made to sum to one.
    "rows.softmax": "Softmax LogSoftmax",
    # Elements in another type.
    "conversion.casting": "Cast CastLike",
    # By a scale and a zero point.
    "quantization.linear": "QuantizeLinear DequantizeLinear",
    # By a scale that the data asks for.
    "quantization.dynamic": "DynamicQuantizeLinear",
    # Sums of products of 8-bit integers.
    "quantization.products": "MatMulInteger ConvInteger",
    # The same, quantized again.
    "quantization.requantizing": "QLinearMatMul QLinearConv",
    # The same bits in another type.
    "conversion.bitcasting": "BitCast",
    # Subgraphs.
    "control.control_flow": "If",
    "control.loop": "Loop",
    "control.scan": "Scan",
    "control.sequence_map": "SequenceMap",
    # Lists of values.
    "containers.sequences": (
        "SequenceConstruct SequenceEmpty SequenceLength SequenceAt SequenceErase SequenceInsert"
    ),
    # A tensor made a list, and back.
    "containers.sequence_parts": "SplitToSequence ConcatFromSequence",
    # Values that may be absent.
    "containers.optionals": "Optional OptionalGetElement OptionalHasElement",
    # Pairs turned by an angle.
    "attention.rotary": "RotaryEmbedding",
    # Strings joined, and cut.
    "text.joining": "StringConcat",
    "text.splitting": "StringSplit",
    # Strings matched by a regular expression.
    "text.matching": "RegexFullMatch",
    # Values weighted by how keys meet a query.
    "attention.attention": "Attention",
    # A state that keys write to and queries read.
    "attention.linear": "LinearAttention",
    # The same with subgraphs for scores and weights.
    "attention.flex": "ai.onnx.preview:FlexAttention",
    # A gate times a value.
    "attention.gating": "SwiGLU",
    # Stop words removed, and letters in the other case.
    "text.normalizing": "StringNormalizer",
    # N-grams counted.
    "text.ngrams": "TfIdfVectorizer",
    # Encoded images as pixels.
    "images.decoder": "ImageDecoder",
    # Keys made values, by a table.
    "ml.label_encoder": "ai.onnx.ml:LabelEncoder",
    # Features moved and scaled to floats.
    "ml.scaling": "ai.onnx.ml:Scaler ai.onnx.ml:Normalizer",
    # Features replaced by a comparison.
    "ml.replacing": "ai.onnx.ml:Imputer ai.onnx.ml:Binarizer",
    # Trees, as lists of nodes and as tensors.
    "ml.tree_lists": "ai.onnx.ml:TreeEnsembleRegressor ai.onnx.ml:TreeEnsembleClassifier",
    "ml.tree_tensors": "ai.onnx.ml:TreeEnsemble",
    # Sums of weighted features.
    "ml.linear": "ai.onnx.ml:LinearRegressor",
    # Classes by sums of weighted features.
    "predictors.linear_classifier": "ai.onnx.ml:LinearClassifier",
    # Classes by votes of pairs.
    "predictors.svm_classifier": "ai.onnx.ml:SVMClassifier",
    # Maps made tensors, and back.
    "ml.maps": "ai.onnx.ml:CastMap ai.onnx.ml:DictVectorizer ai.onnx.ml:ZipMap",
    # A sum of kernels.
    "predictors.svm_regressor": "ai.onnx.ml:SVMRegressor",
    # Categories made numbers, and back.
    "ml.categories": "ai.onnx.ml:CategoryMapper",
    # Features selected, joined, and made zeros and ones.
    "ml.gathering": (
        "ai.onnx.ml:ArrayFeatureExtractor ai.onnx.ml:FeatureVectorizer ai.onnx.ml:OneHotEncoder"
    ),
    # Derivatives of parts of graphs.
    "training.gradients": "ai.onnx.preview.training:Gradient",
    # Steps along gradients.
    "training.optimizers": (
        "ai.onnx.preview.training:Adagrad ai.onnx.preview.training:Adam"
        " ai.onnx.preview.training:Momentum"
    ),
}


@cache
def module_of() -> Mapping[tuple[str, str], str]:
    """The module's name by (domain, operator); '' is ONNX's own domain."""
    table = {}
    for module, operators in MODULES.items():
        for name in operators.split():
            domain, _, operator = name.rpartition(":")
            table[domain, operator] = module
    return table
