"""The role of an input: what an operator does with its elements.

Roles decide how a spec's plain lists are read (dimensions for data, elements for the rest), which
data is made, and which forms can present an input as exporters do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import OperatorVersion, Parameter

DATA = "data"
DATA_ROLES = (DATA, "weight")
ROLES = (
    DATA,
    "weight",
    "shape",
    "axes",
    "index",
    "size",
    "repeats",
    "pads",
    "count",
    "scalar",
    "condition",
    "sequence",
)

# Names that ONNX's documents give to inputs that are no data.
_BY_NAME = {
    "shape": "shape",
    "axes": "axes",
    "axis": "axes",
    "indices": "index",
    "position": "index",
    "starts": "index",
    "ends": "index",
    "steps": "index",
    "split": "size",
    "sizes": "size",
    "output_shape": "shape",
    "repeats": "repeats",
    "pads": "pads",
    "K": "count",
    "k": "count",
    "depth": "count",
    "sequence_lens": "size",
    "input_shape": "shape",
    "block_shape": "shape",
    "image_shape": "shape",
}


def guessed_role(parameter: Parameter, version: OperatorVersion) -> str:
    """The role that name and types suggest: an input that may be a float is data."""
    types = version.types.get(parameter.type, (parameter.type,))
    if types[0].startswith(("seq(", "optional(", "map(")):
        return "sequence"
    if parameter.name in _BY_NAME and not any(item.startswith("float") for item in types):
        return _BY_NAME[parameter.name]
    if len(types) == 1 and types[0] == "int64":
        return "index"
    return DATA
