"""Which module holds the oracle of an operator: read before any of them is imported.

One entry a module, with the operators that it registers; those of another domain than ONNX's own
as `domain:operator`. A test holds it against what the modules register.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODULES = {
    # The dimensions of a tensor.
    "shape": "Shape",
    # The number of elements.
    "size": "Size",
    # The same elements in another shape.
    "reshape": "Reshape",
    # The input as it is.
    "identity": "Identity",
    # One value everywhere.
    "filling": "ConstantOfShape",
    # A value in an attribute.
    "constants": "Constant",
    # Axes of size 1.
    "squeezing": "Squeeze Unsqueeze",
    # Tensors one after the other.
    "joining": "Concat",
    # A tensor in parts.
    "splitting": "Split",
    # A part of a tensor, by starts, ends and steps.
    "slicing": "Slice",
    # Elements before and behind each axis.
    "padding": "Pad",
    # Slices put in by index.
    "scattering": "ScatterND",
    # Slices by index.
    "gathering": "Gather",
    # Sums, differences, products, signs.
    "arithmetic": "Add Sub Mul Div Neg",
    # Elements held between bounds.
    "clipping": "Clip",
    # Of several tensors, element by element.
    "selecting": "Max Min Sum Mean Where",
    # Truth values of two elements.
    "comparison": "Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor",
    # The bits of integers.
    "bits": "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitShift",
    # Functions of one real number.
    "functions": (
        "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Reciprocal Sin Sinh Sqrt Tan Tanh"
    ),
    # Formulas of one element.
    "activations": (
        "Celu Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Selu Sigmoid Softplus"
        " Softsign Swish ThresholdedRelu"
    ),
    # Exact functions of one element.
    "unary": "Abs Ceil Floor IsInf IsNaN Not Relu Round Sign",
    # Products of matrices.
    "products": "MatMul",
    # Axes that are summed up.
    "reductions": "ReduceSum",
    # Rows of mean 0 and variance 1.
    "layer_normalization": "LayerNormalization",
    # Rows made to sum to one.
    "softmax": "Softmax LogSoftmax",
    # Elements in another type.
    "casting": "Cast CastLike",
    # Subgraphs.
    "control_flow": "If Loop Scan",
    # Lists of values.
    "sequences": (
        "SequenceConstruct SequenceEmpty SequenceLength SequenceAt SequenceErase SequenceInsert"
        " SequenceMap"
    ),
    # Values that may be absent.
    "optionals": "Optional OptionalGetElement OptionalHasElement",
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
