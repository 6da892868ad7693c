"""Families of operators: what belongs together for a reader, in the order in which to read it.

Names of other domains than ONNX's own are written without them, as rows of results files have them:
no two domains have an operator of one name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

OTHER = "other"

_MEMBERS: dict[str, str] = {
    "arithmetic": "Abs Add Ceil Clip Div Floor Max Mean Min Mod Mul Neg Pow Reciprocal Round Sign"
    " Sqrt Sub Sum",
    "functions": "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Sin Sinh Tan Tanh",
    "activations": "Celu Elu Gelu HardSigmoid HardSwish Hardmax LeakyRelu LogSoftmax Mish PRelu"
    " Relu Selu Shrink Sigmoid Softmax Softplus Softsign SwiGLU Swish ThresholdedRelu",
    "logic": "And BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Equal Greater GreaterOrEqual"
    " IsInf IsNaN Less LessOrEqual Not Or Where Xor",
    "matrices": "Det Einsum Gemm MatMul",
    "convolution": "CausalConvWithState Col2Im Conv ConvTranspose DeformConv",
    "pooling": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool MaxRoiPool"
    " MaxUnpool RoiAlign",
    "normalization": "BatchNormalization GroupNormalization InstanceNormalization LRN"
    " LayerNormalization LpNormalization MeanVarianceNormalization RMSNormalization",
    "attention": "Attention FlexAttention LinearAttention RotaryEmbedding TensorScatter",
    "recurrent": "GRU LSTM RNN",
    "reduction": "ArgMax ArgMin CumProd CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp"
    " ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK",
    "shape": "Expand Flatten Identity Reshape Shape Size Squeeze Unsqueeze",
    "movement": "CenterCropPad Concat DepthToSpace Pad ReverseSequence Slice SpaceToDepth Split"
    " Tile Transpose Trilu",
    "indexing": "Compress Gather GatherElements GatherND NonZero OneHot Scatter ScatterElements"
    " ScatterND Unique",
    "images": "AffineGrid GridSample ImageDecoder NonMaxSuppression Resize Upsample",
    "signals": "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT",
    "quantization": "ConvInteger DequantizeLinear DynamicQuantizeLinear MatMulInteger QLinearConv"
    " QLinearMatMul QuantizeLinear",
    "conversion": "BitCast Cast CastLike",
    "making": "Constant ConstantOfShape EyeLike Range",
    "random": "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform"
    " RandomUniformLike",
    "control": "If Loop Scan SequenceMap",
    "containers": "ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt"
    " SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence",
    "text": "RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer",
    "training": "Adagrad Adam Gradient Momentum NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    "classical ml": "ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer"
    " FeatureVectorizer Imputer LabelEncoder LinearClassifier LinearRegressor Normalizer"
    " OneHotEncoder SVMClassifier SVMRegressor Scaler TreeEnsemble TreeEnsembleClassifier"
    " TreeEnsembleRegressor ZipMap",
    "whole models": "Graphs IR",
}
FAMILIES = (*_MEMBERS, OTHER)


def members(family: str) -> tuple[str, ...]:
    """The operators of a family, by name; none of a family that there is not."""
    return tuple(_MEMBERS.get(family, "").split())


def family_of(operator: str) -> str:
    """The family of an operator, `OTHER` where it has none; it may be written in any case."""
    return _by_operator().get(operator.rpartition(".")[2].lower(), OTHER)


@cache
def _by_operator() -> Mapping[str, str]:
    return {name.lower(): family for family in _MEMBERS for name in members(family)}
