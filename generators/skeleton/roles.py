"""The role of each input, suggested from its name, its types and the operator.

The reader of specs has another guess, for inputs without a role in a spec. That one must not
change, because it decides what a spec's lists mean. A skeleton writes every role, so that this
guess may be better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.model import Signature
from ..specs.roles import guessed_role
from ..specs.versions_reading import version_of
from ..specs.words import Role

# Parameters of a layer, which models hold as constants; names of one letter in layers only.
_WEIGHT = re.compile(r"[Ss]cale|bias|slope|theta|w|weights?|(input_)?(mean|var)|(cos|sin)_cache")
_LAYER = re.compile(r".*Conv.*|.*Normalization|GRU|LSTM|RNN|Gemm")
_WEIGHT_OF_LAYER = re.compile(r"[BCPRW]")
# Quantization parameters, limits and settings: values that a case writes out.
_SCALAR = re.compile(
    r"(constant_value|delta|limit|max|min|ratio|scales|start|training_mode|values)"
    r"|.*_(scale|zero_point|threshold|hertz|rate|bins|step|length)"
)
_COUNT = re.compile(r"[KkMT]|depth|max_output_boxes_per_class")
_CONDITION = re.compile(r"cond|condition")
# Names that mislead for some operators.
_OF_OPERATOR = {
    ("AffineGrid", "size"): Role.SHAPE,
    ("ConstantOfShape", "input"): Role.SHAPE,
    # In version 1 they have the type of the data.
    ("Tile", "tiles"): Role.REPEATS,
    ("Tile", "axis"): Role.AXES,
    ("Attention", "nonpad_kv_seqlen"): Role.SIZE,
    # It chooses element by element, so it is broadcast like data.
    ("Where", "condition"): Role.DATA,
}


def suggested_roles(versions: Sequence[Signature]) -> dict[str, Role]:
    """The role of each input of any version; if versions differ, that of the newest."""
    roles = {}
    for signature in versions:
        version = version_of(signature, {})
        for parameter in version.inputs:
            types = version.types.get(parameter.type, (parameter.type,))
            known = _known(signature.operator, parameter.name, types)
            roles[parameter.name] = known or guessed_role(parameter, version)
    return roles


def _known(operator: str, name: str, types: Sequence[str]) -> Role | None:
    """The role that the tables give a name; None if they do not have it."""
    if (operator, name) in _OF_OPERATOR:
        return _OF_OPERATOR[operator, name]
    if any("(" in item for item in types):
        return None
    if _COUNT.fullmatch(name) and all("int" in item for item in types):
        return Role.COUNT
    if _CONDITION.fullmatch(name) and tuple(types) == ("bool",):
        return Role.CONDITION
    if _SCALAR.fullmatch(name):
        return Role.SCALAR
    of_layer = _LAYER.fullmatch(operator) and _WEIGHT_OF_LAYER.fullmatch(name)
    return Role.WEIGHT if of_layer or _WEIGHT.fullmatch(name) else None
