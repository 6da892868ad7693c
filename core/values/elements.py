"""The element types of ONNX tensors: their names, codes and widths, from element_types.json.

That is the one table of them: `floats` takes the formats of floating-point types from it, and the
harnesses, which import nothing of ours, read it as well (a link beside them).

Source: the DataType enumeration of onnx.proto and the IR versions at which its values appeared
(onnx docs/IR.md). `name` is the spelling used in specs, vector ids and the protocol: NumPy's
where NumPy has the type (`float32`, `float64`), else ONNX's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

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
        since_opset: the opset since which operators take it.
    """

    name: str
    onnx_name: str
    code: int
    bits: int
    kind: ElementKind
    since_ir: int
    since_opset: int

    def byte_count(self, elements: int) -> int:
        """Bytes that `elements` elements take in raw_data: packed over the whole tensor."""
        return (elements * self.bits + 7) // 8


#: The rows of the table, as it is written.
ROWS: tuple[Mapping[str, Any], ...] = tuple(
    json.loads(Path(__file__).with_name("element_types.json").read_bytes())
)
ELEMENT_TYPES: tuple[ElementType, ...] = tuple(
    ElementType(
        row["name"],
        row["onnx"],
        row["code"],
        row["bits"],
        row["kind"],
        row["ir_version"],
        row["opset"],
    )
    for row in ROWS
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
