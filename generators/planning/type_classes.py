"""Classes of element types: what runtimes have one kernel for, or keep in one way."""

from __future__ import annotations

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type

from ..situations.type_texts import elements_of

_BYTE, _WORD = 8, 16
_NARROW_FLOATS = "float8 and less"
# What the rule `classes` makes of these; of all others `plain`: 32 bits, and what fits into them.
_COARSE = {
    "bool": "bool",
    "string": "string",
    "complex": "complex",
    "int4 and less": "packed",
    "float16": "float16",
    "float64": "64 bits",
    "int64": "64 bits",
    "uint64": "64 bits",
}


def type_class(name: str) -> str:
    """The class of a type: an element type, or a container."""
    try:
        element = element_type(name)
    except BadInputError:
        return "container"
    if element.kind == "float":
        if element.bits < _WORD:
            return _NARROW_FLOATS
        return {"float32": "float32", "float64": "float64"}.get(name, "float16")
    if element.kind in {"int", "uint"}:
        return "int4 and less" if element.bits < _BYTE else f"{element.kind}{element.bits}"
    return element.kind


def class_of_type(text: str) -> str:
    """The class of a type for the rule `classes`; of a container that of what is inside.

    There are fewer of them: what is `plain` shares one template of a kernel.
    """
    name = elements_of(text)[-1]
    found = type_class(name)
    if found == _NARROW_FLOATS:
        return "float8" if element_type(name).bits == _BYTE else "packed"
    return _COARSE.get(found, "plain")
