"""What is looked at in one call: its tensors, ranks, counts and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.grid import broadcast_shape
from ...oracle.errors import InvalidCallError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..calls import DrawnCall

    Shape = tuple[int, ...]

#: Names of what tells axes.
AXES = ("axis", "axes", "batch_axis", "time_axis", "norm_axis", "batch_dims")
#: Names of what tells places in other inputs.
INDICES = ("indices", "target", "labels", "batch_indices", "I", "write_indices", "position_ids")
#: Names of what tells places by coordinates, how much each is worth, and where to take apart.
PLACES = ("rois", "boxes", "scores", "split")
_SIZES = ("shape", "pads", "repeats", "split", "K", "sequence_lens", "image_shape", "block_shape")
_HOW = frozenset({"shape", "axes", "index", "size", "repeats", "pads", "count", "scalar"})


def tells_how(call: DrawnCall, name: str, tensor: Tensor) -> bool:
    """Whether an input tells how to do something, by its role or its name: indices, axes, sizes."""
    if element_type(tensor.type).kind not in ("int", "uint"):
        return False
    parameter = call.version.parameter_of(name)
    role = call.spec.roles.get(name if parameter is None else parameter.name)
    return role in _HOW or name in (*AXES, *INDICES, *_SIZES)


def names_of(call: DrawnCall) -> frozenset[str]:
    """The names of the attributes that are given."""
    return frozenset(item.name for item in call.attributes)


def keeps_width(call: DrawnCall) -> bool:
    """Whether the type that an attribute sets has as many bits as the elements of each input."""
    given = set(call.spec.type_attributes) & names_of(call)
    set_types = [call.types.get(call.spec.type_attributes[name], "") for name in given]
    words = [*(item.type for item in tensors_of(call).values()), *(w for w in set_types if w)]
    return "(" not in "".join(words) and len({element_type(word).bits for word in words}) < 2


def is_integers(value: object) -> bool:
    """Whether an attribute is a list of integers."""
    return isinstance(value, tuple) and all(isinstance(item, int) for item in value)


def counts_of(call: DrawnCall) -> dict[str, int]:
    """Of each variadic input how many values it has."""
    found = {item.name: 0 for item in call.version.inputs if item.variadic}
    for item in call.inputs:
        parameter = call.version.parameter_of(item.name)
        if parameter is not None and parameter.variadic:
            found[parameter.name] += 1
    return found


def without_default(call: DrawnCall) -> frozenset[str]:
    """The attributes that are given, and that are nothing where they are not."""
    known = call.version.attributes
    return frozenset(
        item.name
        for item in call.attributes
        if item.name in known and known[item.name].default is None
    )


def types_of(call: DrawnCall) -> tuple[frozenset[str], tuple[str, ...]]:
    """Attributes without a default that are given, and the types of the inputs."""
    return without_default(call), tuple(item.type for item in tensors_of(call).values())


def tensors_of(call: DrawnCall) -> dict[str, Tensor]:
    """The inputs that are tensors, by name."""
    return {item.name: item.value for item in call.inputs if isinstance(item.value, Tensor)}


def rank_of_first(tensors: Mapping[str, Tensor]) -> int:
    """The rank of the first input; 0 where there is none."""
    return len(next(iter(tensors.values())).shape) if tensors else 0


def broadcast(shapes: Sequence[Shape]) -> bool:
    """Whether shapes broadcast together."""
    try:
        broadcast_shape(*shapes)
    except InvalidCallError:
        return False
    return True


def shapes_of_data(call: DrawnCall, tensors: Mapping[str, Tensor]) -> list[Shape]:
    """The shapes of the inputs that do not tell how."""
    return [item.shape for name, item in tensors.items() if not tells_how(call, name, item)]


def shapes_of(call: DrawnCall) -> dict[str, Shape]:
    """The shapes of the inputs that cannot be left out, by name."""
    optional = {item.name for item in call.version.inputs if item.optional}
    return {name: i.shape for name, i in tensors_of(call).items() if name not in optional}
