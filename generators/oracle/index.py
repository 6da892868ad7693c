"""Which module holds the oracle of an operator: known before any of them is imported.

One entry for each module, with the operators that it registers; those of other domains than ONNX's
own as `domain:operator`; the docstring of the module says what they have in common. A test compares
the table with what modules register.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

MODULES = {
    "making.shape": "Shape",
    "making.size": "Size",
    "reshaping.reshape": "Reshape",
    "reshaping.identity": "Identity",
    "making.filling": "ConstantOfShape",
    "making.diagonals": "EyeLike",
    "making.constants": "Constant",
    "movement.blocks": "DepthToSpace SpaceToDepth",
    "movement.triangles": "Trilu",
    "movement.centering": "CenterCropPad",
    "movement.reversing": "ReverseSequence",
    "making.ranges": "Range",
    "signals.windows": "HannWindow HammingWindow BlackmanWindow",
    "signals.mel": "MelWeightMatrix",
    "signals.fourier": "DFT STFT",
    "making.drawing": ("Bernoulli RandomUniform RandomUniformLike RandomNormal RandomNormalLike"),
    "making.sampling": "Multinomial",
    "making.dropping": "Dropout",
    "reshaping.squeezing": "Squeeze Unsqueeze",
    "movement.transposing": "Transpose",
    "reshaping.flattening": "Flatten",
    "movement.repeating": "Expand Tile",
    "movement.joining": "Concat",
    "movement.splitting": "Split",
    "movement.slicing": "Slice",
    "movement.padding": "Pad",
    "indexing.scattering": "ScatterND",
    "indexing.gathering": "Gather",
    "indexing.elements": "GatherElements ScatterElements Scatter",
    "indexing.one_hot": "OneHot",
    "indexing.uniqueness": "Unique",
    "indexing.caches": "TensorScatter",
    "indexing.conditions": "Compress NonZero",
    "indexing.tuples": "GatherND",
    "elementwise.arithmetic": "Add Sub Mul Div Neg",
    "elementwise.powers": "Pow",
    "elementwise.remainders": "Mod",
    "elementwise.clipping": "Clip",
    "elementwise.selecting": "Max Min Sum Mean Where",
    "elementwise.comparison": "Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor",
    "elementwise.bits": "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitShift",
    "elementwise.functions": (
        "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Reciprocal Sin Sinh Sqrt Tan Tanh"
    ),
    "elementwise.activations": (
        "Celu Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Selu Sigmoid Softplus"
        " Softsign Swish ThresholdedRelu"
    ),
    "elementwise.shrinking": "Shrink",
    "elementwise.unary": "Abs Ceil Floor IsInf IsNaN Not Relu Round Sign",
    "contraction.products": "MatMul",
    "contraction.gemm": "Gemm",
    "contraction.determinants": "Det",
    "contraction.einsum": "Einsum",
    "rows.reductions": (
        "ReduceL1 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"
    ),
    "rows.losses": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    "rows.cumulative": "CumProd CumSum",
    "rows.positions": "ArgMax ArgMin Hardmax",
    "rows.norms": "ReduceL2 ReduceLogSum ReduceLogSumExp",
    "recurrent.cells": "GRU LSTM RNN",
    "windows.convolution": "Conv ConvTranspose",
    "windows.causal": "CausalConvWithState",
    "windows.deformable": "DeformConv",
    "windows.unpooling": "Col2Im MaxUnpool",
    "windows.pooling": ("AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool"),
    "resampling.resize": "Resize",
    "resampling.upsample": "Upsample",
    "resampling.grid_sample": "GridSample",
    "resampling.flows": "AffineGrid",
    "regions.align": "RoiAlign",
    "regions.pool": "MaxRoiPool",
    "resampling.boxes": "NonMaxSuppression",
    "normalization.batch": "BatchNormalization",
    "normalization.channels": "GroupNormalization InstanceNormalization",
    "normalization.root_mean_square": "RMSNormalization",
    "normalization.norms": "LpNormalization",
    "normalization.mean_variance": "MeanVarianceNormalization",
    "normalization.local_response": "LRN",
    "rows.top": "TopK",
    "rows.layer_normalization": "LayerNormalization",
    "rows.softmax": "Softmax LogSoftmax",
    "conversion.casting": "Cast CastLike",
    "quantization.linear": "QuantizeLinear DequantizeLinear",
    "quantization.dynamic": "DynamicQuantizeLinear",
    "quantization.products": "MatMulInteger ConvInteger",
    "quantization.requantizing": "QLinearMatMul QLinearConv",
    "conversion.bitcasting": "BitCast",
    "control.control_flow": "If",
    "control.loop": "Loop",
    "control.scan": "Scan",
    "control.sequence_map": "SequenceMap",
    "containers.sequences": (
        "SequenceConstruct SequenceEmpty SequenceLength SequenceAt SequenceErase SequenceInsert"
    ),
    "containers.sequence_parts": "SplitToSequence ConcatFromSequence",
    "containers.optionals": "Optional OptionalGetElement OptionalHasElement",
    "attention.rotary": "RotaryEmbedding",
    "text.joining": "StringConcat",
    "text.splitting": "StringSplit",
    "text.matching": "RegexFullMatch",
    "attention.attention": "Attention",
    "attention.linear": "LinearAttention",
    "attention.flex": "ai.onnx.preview:FlexAttention",
    "attention.gating": "SwiGLU",
    "text.normalizing": "StringNormalizer",
    "text.ngrams": "TfIdfVectorizer",
    "images.decoder": "ImageDecoder",
    "ml.label_encoder": "ai.onnx.ml:LabelEncoder",
    "ml.scaling": "ai.onnx.ml:Scaler ai.onnx.ml:Normalizer",
    "ml.replacing": "ai.onnx.ml:Imputer ai.onnx.ml:Binarizer",
    "ml.tree_lists": "ai.onnx.ml:TreeEnsembleRegressor ai.onnx.ml:TreeEnsembleClassifier",
    "ml.tree_tensors": "ai.onnx.ml:TreeEnsemble",
    "ml.linear": "ai.onnx.ml:LinearRegressor",
    "predictors.linear_classifier": "ai.onnx.ml:LinearClassifier",
    "predictors.svm_classifier": "ai.onnx.ml:SVMClassifier",
    "ml.maps": "ai.onnx.ml:CastMap ai.onnx.ml:DictVectorizer ai.onnx.ml:ZipMap",
    "predictors.svm_regressor": "ai.onnx.ml:SVMRegressor",
    "ml.categories": "ai.onnx.ml:CategoryMapper",
    "ml.gathering": (
        "ai.onnx.ml:ArrayFeatureExtractor ai.onnx.ml:FeatureVectorizer ai.onnx.ml:OneHotEncoder"
    ),
    "training.gradients": "ai.onnx.preview.training:Gradient",
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
