"""The element types of ONNX tensors: their names, codes and widths.

Source: the DataType enumeration of onnx.proto and the IR versions at which its values appeared
(onnx docs/IR.md). `name` is the spelling used in specs, vector ids and the protocol: NumPy's
where NumPy has the type (`float32`, `float64`), else ONNX's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..errors import BadInputError
from ..text import brief

STRING_BITS = 0


ElementKind: TypeAlias = Literal["float", "int", "uint", "bool", "complex", "string"]


@dataclass(frozen=True)
class ElementType:
    """One element type.

    Attributes:
        name: our spelling, e.g. `float64`.
        onnx_name: the spelling in `tensor(...)` of an operator document, e.g. `double`.
        code: the value of TensorProto.DataType.
        bits: width of one element in raw_data; 0 for strings, which have no raw form.
        kind: the class of its values, e.g. float or signed integer.
        since_ir: the IR version that introduced the type.
    """

    name: str
    onnx_name: str
    code: int
    bits: int
    kind: ElementKind
    since_ir: int

    def byte_count(self, elements: int) -> int:
        """Bytes that `elements` elements take in raw_data: packed over the whole tensor."""
        return (elements * self.bits + 7) // 8


ELEMENT_TYPES: tuple[ElementType, ...] = (
    ElementType("float32", "float", 1, 32, "float", 1),
    ElementType("uint8", "uint8", 2, 8, "uint", 1),
    ElementType("int8", "int8", 3, 8, "int", 1),
    ElementType("uint16", "uint16", 4, 16, "uint", 1),
    ElementType("int16", "int16", 5, 16, "int", 1),
    ElementType("int32", "int32", 6, 32, "int", 1),
    ElementType("int64", "int64", 7, 64, "int", 1),
    ElementType("string", "string", 8, STRING_BITS, "string", 1),
    ElementType("bool", "bool", 9, 8, "bool", 1),
    ElementType("float16", "float16", 10, 16, "float", 1),
    ElementType("float64", "double", 11, 64, "float", 1),
    ElementType("uint32", "uint32", 12, 32, "uint", 1),
    ElementType("uint64", "uint64", 13, 64, "uint", 1),
    ElementType("complex64", "complex64", 14, 64, "complex", 1),
    ElementType("complex128", "complex128", 15, 128, "complex", 1),
    ElementType("bfloat16", "bfloat16", 16, 16, "float", 4),
    ElementType("float8e4m3fn", "float8e4m3fn", 17, 8, "float", 9),
    ElementType("float8e4m3fnuz", "float8e4m3fnuz", 18, 8, "float", 9),
    ElementType("float8e5m2", "float8e5m2", 19, 8, "float", 9),
    ElementType("float8e5m2fnuz", "float8e5m2fnuz", 20, 8, "float", 9),
    ElementType("uint4", "uint4", 21, 4, "uint", 10),
    ElementType("int4", "int4", 22, 4, "int", 10),
    ElementType("float4e2m1", "float4e2m1", 23, 4, "float", 11),
    ElementType("float8e8m0", "float8e8m0", 24, 8, "float", 12),
    ElementType("uint2", "uint2", 25, 2, "uint", 13),
    ElementType("int2", "int2", 26, 2, "int", 13),
    ElementType("float6e2m3", "float6e2m3", 27, 6, "float", 14),
    ElementType("float6e3m2", "float6e3m2", 28, 6, "float", 14),
)

_BY_NAME = {element.name: element for element in ELEMENT_TYPES}
_BY_CODE = {element.code: element for element in ELEMENT_TYPES}
_BY_ONNX_NAME = {element.onnx_name: element for element in ELEMENT_TYPES}


def element_type(name: str) -> ElementType:
    """The element type with our spelling `name`; BadInputError if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise BadInputError(f"unknown element type {brief(name, 60)}") from None


def element_type_of_code(code: int) -> ElementType:
    """The element type of a TensorProto.DataType value; BadInputError if there is none."""
    try:
        return _BY_CODE[code]
    except KeyError:
        raise BadInputError(f"unknown element type code {code}") from None


def element_type_of_onnx(name: str) -> ElementType:
    """The element type that operator documents spell `tensor(name)`."""
    try:
        return _BY_ONNX_NAME[name]
    except KeyError:
        raise BadInputError(f"unknown element type {brief(f'tensor({name})', 60)}") from None
