"""The role of an input without a role in the spec: guessed from its name and types."""

from __future__ import annotations

from ..signatures.model import Parameter
from .model import OperatorVersion
from .words import Role

# Names of ONNX's documents for inputs that are not data.
_BY_NAME = {
    "shape": Role.SHAPE,
    "axes": Role.AXES,
    "axis": Role.AXES,
    "indices": Role.INDEX,
    "position": Role.INDEX,
    "starts": Role.INDEX,
    "ends": Role.INDEX,
    "steps": Role.INDEX,
    "split": Role.SIZE,
    "sizes": Role.SIZE,
    "output_shape": Role.SHAPE,
    "repeats": Role.REPEATS,
    "pads": Role.PADS,
    "K": Role.COUNT,
    "k": Role.COUNT,
    "depth": Role.COUNT,
    "sequence_lens": Role.SIZE,
    "input_shape": Role.SHAPE,
    "block_shape": Role.SHAPE,
    "image_shape": Role.SHAPE,
}


def guessed_role(parameter: Parameter, version: OperatorVersion) -> Role:
    """The role that name and types suggest: an input that may be a float is data."""
    types = version.types.get(parameter.type, (parameter.type,))
    if types[0].startswith(("seq(", "optional(", "map(")):
        return Role.SEQUENCE
    if parameter.name in _BY_NAME and not any(item.startswith("float") for item in types):
        return _BY_NAME[parameter.name]
    if len(types) == 1 and types[0] == "int64":
        return Role.INDEX
    return Role.DATA
