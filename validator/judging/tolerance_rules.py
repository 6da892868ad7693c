"""The tolerance of each vector: its own, or our rule for its operator.

docs/tolerance.md says which operators have which kind, and why.
"""

from __future__ import annotations

from onnx_conformance.core.corpus.vectors import Vector
from onnx_conformance.core.values.limits import IEEE, PROFILES
from onnx_conformance.core.values.tolerance import (
    ABSOLUTE_RELATIVE_KIND,
    EXACT,
    LIMITS_KIND,
    TYPE_AND_SHAPE,
    ULP_KIND,
    Tolerance,
    pair,
)

ONNX_MODE = "onnx"
STRICT_MODE = "strict"
MODES = (ONNX_MODE, STRICT_MODE)

# Rounding errors of sums grow with their length and their terms, not with their result. The
# cases have short sums: onnxruntime and onnx.reference stay below 17, see docs/tolerance.md.
_NORMWISE = Tolerance(ABSOLUTE_RELATIVE_KIND, of_largest=32, signed_zero=False)

# The accuracy that OpenCL C 3.0 (7.4, relative error as ULPs, full profile) requires of float; ONNX
# requires none. Types of 16 bits: the cl_khr_fp16 table of the same document.
_ELEMENTARY = {
    "Acos": 4,
    "Acosh": 4,
    "Asin": 4,
    "Asinh": 4,
    "Atan": 5,
    "Atanh": 5,
    "Cos": 4,
    "Cosh": 4,
    "Erf": 16,
    "Exp": 3,
    "Log": 3,
    "Pow": 16,
    "Sin": 4,
    "Sinh": 4,
    "Tan": 5,
    "Tanh": 5,
}
_HALF_ULPS = 2
_HALF_ULPS_OF_POW = 4

# Several roundings, in an order that no document fixes.
_NORMWISE_OPERATORS = frozenset(
    """
    Adagrad Adam AffineGrid Attention AveragePool BatchNormalization BlackmanWindow
    CausalConvWithState Celu Col2Im Conv ConvTranspose CumProd CumSum DFT DeformConv Det
    DynamicQuantizeLinear Einsum Elu FlexAttention GRU Gelu Gemm GlobalAveragePool
    GlobalLpPool GridSample GroupNormalization HammingWindow HannWindow HardSigmoid
    HardSwish InstanceNormalization LRN LSTM LayerNormalization LinearAttention
    LinearClassifier LinearRegressor LogSoftmax LpNormalization LpPool MatMul Mean
    MeanVarianceNormalization MelWeightMatrix Mish Momentum NegativeLogLikelihoodLoss
    Normalizer QLinearConv QLinearMatMul RMSNormalization RNN ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare Resize Scaler
    RoiAlign RotaryEmbedding STFT SVMClassifier SVMRegressor Selu Sigmoid Softmax
    SoftmaxCrossEntropyLoss Softplus Softsign Sum SwiGLU Swish TreeEnsemble
    TreeEnsembleClassifier TreeEnsembleRegressor Upsample
    """.split()  # noqa: SIM905  words read better than ninety quoted ones
)

# Their documents leave one result: elements are moved, chosen or compared, or IEEE 754 rounds once.
_EXACT_OPERATORS = frozenset(
    """
    Abs Add And ArgMax ArgMin ArrayFeatureExtractor Binarizer BitCast BitShift BitwiseAnd
    BitwiseNot BitwiseOr BitwiseXor Cast CastLike CastMap CategoryMapper Ceil CenterCropPad Clip
    Compress Concat ConcatFromSequence Constant ConstantOfShape ConvInteger DepthToSpace
    DequantizeLinear DictVectorizer Div Dropout Equal Expand EyeLike FeatureVectorizer
    Flatten Floor Gather GatherElements GatherND GlobalMaxPool Greater GreaterOrEqual
    Hardmax Identity If ImageDecoder Imputer IsInf IsNaN LabelEncoder LeakyRelu Less
    LessOrEqual Loop MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Min Mod Mul Neg
    NonMaxSuppression NonZero Not OneHot OneHotEncoder Optional OptionalGetElement
    OptionalHasElement Or PRelu Pad QuantizeLinear Range Reciprocal ReduceMax ReduceMin
    RegexFullMatch Relu Reshape ReverseSequence Round Scan Scatter ScatterElements
    ScatterND SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert
    SequenceLength SequenceMap Shape Shrink Sign Size Slice SpaceToDepth Split
    SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub TensorScatter
    TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Where Xor
    ZipMap
    """.split()  # noqa: SIM905  words read better than ninety quoted ones
)

_RANDOM_OPERATORS = frozenset(
    [
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    ]
)
# ONNX's cases of Dropout that draw a mask; with ratio 0, or outside training, nothing is random.
_TRAINING_DROPOUT = "test_training_dropout"
_RATIO_OF_ZERO = "zero_ratio"


def rule_for(vector: Vector, mode: str = ONNX_MODE, profile: str = IEEE) -> Tolerance:
    """The tolerance that a vector is judged with.

    Args:
        vector: the vector. One that says how its limits were derived (`accuracy`) is judged by
            these in every mode; one with rtol and atol 0 is exact in every mode and profile, and
            so is what is not drawn in one with laws. The pair of one that compares some elements
            alone is no judge's: in all modes and profiles its limits count, or it is exact.
        mode: `onnx`, the vector's own pair; or `strict`, our rule for its operator. An operator
            without a rule keeps its pair.
        profile: which limits count; one of `limits.PROFILES`.
    """
    if mode not in MODES:
        raise ValueError(f"unknown tolerance mode {mode!r}")
    if profile not in PROFILES:
        raise ValueError(f"unknown accuracy profile {profile!r}")
    if vector.compared:
        # The pair lets plain runners pass whatever is at positions that are not compared.
        return EXACT if vector.accuracy is None else Tolerance(LIMITS_KIND, profile=profile)
    if vector.accuracy is not None:
        return Tolerance(LIMITS_KIND, rtol=vector.rtol, atol=vector.atol, profile=profile)
    if vector.laws:
        return EXACT  # the pair lets plain runners pass any draw; what is not drawn is exact
    carried = pair(vector.rtol, vector.atol)
    if mode == ONNX_MODE or carried == EXACT:
        return carried
    return _strict(vector.operator, vector.case) or carried


def _strict(operator: str, case: str) -> Tolerance | None:
    if operator in _RANDOM_OPERATORS or _draws_a_mask(case):
        return TYPE_AND_SHAPE
    if operator in _ELEMENTARY:
        half = _HALF_ULPS_OF_POW if operator == "Pow" else _HALF_ULPS
        return Tolerance(ULP_KIND, ulps=_ELEMENTARY[operator], half_ulps=half)
    if operator in _NORMWISE_OPERATORS:
        return _NORMWISE
    return EXACT if operator in _EXACT_OPERATORS else None


def _draws_a_mask(case: str) -> bool:
    return case.startswith(_TRAINING_DROPOUT) and _RATIO_OF_ZERO not in case
