"""Which function draws an operator: `module:function` in this package.

An operator that is not here is drawn by `recast`: a call of the corpus with other types and values.
"""

from __future__ import annotations

from collections.abc import Mapping

_FAMILIES: Mapping[str, str] = {
    "elementwise:elementwise": (
        "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitwiseAnd BitwiseNot BitwiseOr BitwiseXor"
        " Ceil Celu Cos Cosh Div Elu Equal Erf Exp Floor Greater GreaterOrEqual HardSigmoid"
        " HardSwish Identity IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mul Neg Not Or"
        " Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Sum"
        " Swish Tan Tanh ThresholdedRelu Xor Pow Size NonZero StringConcat"
    ),
    "elementwise:clip": "Clip",
    "elementwise:shift": "BitShift",
    "elementwise:prelu": "PRelu",
    "elementwise:where": "Where",
    "elementwise:modulo": "Mod",
    "elementwise:gelu": "Gelu",
    "elementwise:is_inf": "IsInf",
    "elementwise:cast": "Cast CastLike",
    "elementwise:bit_cast": "BitCast",
    "rows:reduction": (
        "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd"
        " ReduceSum ReduceSumSquare"
    ),
    "rows:arg": "ArgMax ArgMin",
    "rows:along": "Softmax LogSoftmax Hardmax LpNormalization",
    "rows:cumulative": "CumSum CumProd",
    "rows:top_k": "TopK",
    "rows:loss": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    "rows:one_hot": "OneHot",
    "rows:unique": "Unique",
    "rows:batch_norm": "BatchNormalization",
    "rows:channel_norm": "InstanceNormalization GroupNormalization",
    "rows:row_norm": "LayerNormalization RMSNormalization",
    "rows:lrn": "LRN",
    "rows:mean_variance": "MeanVarianceNormalization",
    "shaping:reshape": "Reshape",
    "shaping:transpose": "Transpose",
    "shaping:flatten": "Flatten",
    "shaping:squeeze": "Squeeze",
    "shaping:unsqueeze": "Unsqueeze",
    "shaping:concat": "Concat",
    "shaping:split": "Split",
    "shaping:slice_": "Slice",
    "shaping:pad": "Pad",
    "shaping:tile": "Tile",
    "shaping:expand": "Expand",
    "shaping:gather": "Gather",
    "shaping:gather_elements": "GatherElements",
    "shaping:gather_nd": "GatherND",
    "shaping:scatter_elements": "ScatterElements Scatter",
    "shaping:scatter_nd": "ScatterND",
    "shaping:compress": "Compress",
    "shaping:depth_to_space": "DepthToSpace",
    "shaping:space_to_depth": "SpaceToDepth",
    "shaping:trilu": "Trilu",
    "shaping:eye_like": "EyeLike",
    "shaping:shape_of": "Shape",
    "shaping:reverse_sequence": "ReverseSequence",
    "shaping:center_crop_pad": "CenterCropPad",
    "shaping:constant_of_shape": "ConstantOfShape",
    "shaping:range_": "Range",
    "shaping:tensor_scatter": "TensorScatter",
    "windows:convolution": "Conv ConvInteger ConvTranspose QLinearConv",
    "windows:pooling": "MaxPool AveragePool LpPool",
    "windows:global_pooling": "GlobalAveragePool GlobalMaxPool GlobalLpPool",
    "windows:resize": "Resize",
    "windows:upsample": "Upsample",
    "windows:grid_sample": "GridSample",
    "windows:roi_align": "RoiAlign",
    "windows:max_roi_pool": "MaxRoiPool",
    "windows:affine_grid": "AffineGrid",
    "windows:unpooling": "MaxUnpool",
    "windows:columns": "Col2Im",
    "windows:non_max_suppression": "NonMaxSuppression",
    "products:matmul": "MatMul MatMulInteger QLinearMatMul",
    "products:gemm": "Gemm",
    "products:einsum": "Einsum",
    "products:quantize": "QuantizeLinear DequantizeLinear",
    "products:dynamic_quantize": "DynamicQuantizeLinear",
    "products:recurrent": "RNN GRU LSTM",
    "products:attention": "Attention",
    "products:det": "Det",
    "products:rotary": "RotaryEmbedding",
}


def function_of(domain: str, operator: str) -> tuple[str, str] | None:
    """The module and the function that draw an operator; None for one that is recast."""
    if domain:
        return None
    for place, operators in _FAMILIES.items():
        if operator in operators.split():
            module, _, name = place.partition(":")
            return module, name
    return None
