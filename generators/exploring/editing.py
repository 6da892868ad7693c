"""The drawer of edits: a vector of the corpus with one to six changes, drawn at random.

An edit often makes a call that no document permits: an axis beyond the rank, a size that another
input does not share. The oracle knows, and must be asked anyway: where it refuses a call, the edits
are drawn again one by one, each as often as it takes to find one that the oracle does not refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import SequenceValue, Tensor

from ..situations.permitting.permitted import NotPermittedError
from ..specs.model import GivenAttribute, GraphAttribute
from .calls import DrawnCall, Edit
from .corpus import Bases, bases_of
from .drawing import NotDrawnError, chance_of
from .edits import (
    AbsentEdit,
    AttributeEdit,
    FieldEdit,
    InputEdit,
    SizeEdit,
    TypeEdit,
    mapped,
    with_edit,
)
from .elements import attribute_value, filled, nudged, reshaped, retyped, with_specials
from .simplifying import simpler_calls

if TYPE_CHECKING:
    import random


# 0 and 1, primes, and sizes beyond the widths of SIMD registers and of blocks.
_SIZES = (0, 1, 1, 2, 3, 5, 7, 13, 17, 33, 67)
_LARGEST = 4096
# How often each number of edits is made: faults of one are simplest, those of three the rarest.
_COUNTS = (1, 1, 1, 2, 2, 3, 4, 6)
# How many kinds of edits are drawn for one that will do, and how often each.
_KINDS = 6
_TRIES = 4
# Roles of inputs that tell how to do something.
_HOW = frozenset({"shape", "axes", "index", "size", "repeats", "pads", "count", "scalar"})


class EditsDrawer:
    """Draws edits of the corpus's vectors."""

    def draw(self, subject: str, seed: int, index: int, attempt: int = 0) -> DrawnCall:
        """See `drawing.Drawer`; another attempt makes other edits of the same vector."""
        bases = bases_of(subject.rpartition("-")[0])
        ids = sorted(bases.plans.get(subject, ()))
        if not ids:
            raise NotDrawnError(f"the corpus has no vector of {subject} to begin with")
        vector_id = chance_of("base", subject, seed, index).choice(_spread(ids))
        chance = chance_of("edits", subject, seed, index, attempt)
        return edited(bases.call(vector_id), chance, Pool(bases, ids))

    def simpler(self, drawing: DrawnCall) -> Sequence[DrawnCall]:
        """See `drawing.Drawer`."""
        return simpler_calls(drawing)


def edited(call: DrawnCall, chance: random.Random, pool: Pool) -> DrawnCall:
    """A call with one to six edits, which the oracle does not refuse where such are found."""
    count = chance.choice(_COUNTS)
    found = _with_edits(call, count, chance, pool, asked=False)
    return _with_edits(call, count, chance, pool, asked=True) if _is_refused(found) else found


def _with_edits(
    call: DrawnCall, count: int, chance: random.Random, pool: Pool, *, asked: bool
) -> DrawnCall:
    """A call with so many edits, or fewer; each permitted after those before it, if that is asked.

    Most are: asked of each, an oracle would compute results that nobody wants.
    """
    for _ in range(count):
        call = _with_one_more(call, chance, pool, asked=asked)
    return call


def _with_one_more(call: DrawnCall, chance: random.Random, pool: Pool, *, asked: bool) -> DrawnCall:
    """A call with one more edit; itself where none of those that were drawn will do."""
    for _ in range(_KINDS):
        editor = chance.choice(_EDITORS)
        for _ in range(_TRIES):
            edit = editor(call, chance, pool)
            changed = call if edit is None else with_edit(call, edit)
            if changed is call or _declared(call) != _declared(changed):
                continue
            if not (asked and _is_refused(changed)):
                return changed
    return call


def _declared(call: DrawnCall) -> list[tuple[str, object]]:
    """What graphs among the attributes may declare of values around them; no oracle looks at it."""
    if not any(isinstance(item.value, GraphAttribute) for item in call.attributes):
        return []
    return [
        (item.name, (item.value.type, item.value.shape) if isinstance(item.value, Tensor) else None)
        for item in call.inputs
    ]


def _is_refused(call: DrawnCall) -> bool:
    """Whether the oracle says that the document does not permit a call."""
    try:
        call.reply  # noqa: B018  kept for whoever makes the vector
    except NotPermittedError as error:
        return error.refusal is Refusal.INVALID
    return False


def _spread(ids: Sequence[str]) -> list[str]:
    """Ids with each case in them as often as any other: its plainest vector half of the time."""
    by_case: dict[str, list[str]] = {}
    for item in ids:
        by_case.setdefault(item.split("/")[1], []).append(item)
    most = min(8, max(map(len, by_case.values())))
    found = []
    for of_case in by_case.values():
        plain = min(of_case, key=len)
        found += [item for at in range(most) for item in (plain, of_case[at % len(of_case)])]
    return found


class Pool:
    """Other vectors of the operator: what their inputs and attributes are."""

    def __init__(self, bases: Bases, ids: Sequence[str]) -> None:
        """Take from these vectors, by their ids."""
        self._bases = bases
        self._ids = ids

    @property
    def forms(self) -> Sequence[str]:
        """The forms in which the corpus presents the operator."""
        return self._bases.forms

    def call(self, chance: random.Random) -> DrawnCall:
        """Any of them."""
        return self._bases.call(chance.choice(self._ids))

    def having(self, name: str, chance: random.Random) -> DrawnCall | None:
        """One with an input; None if a few tries find none."""
        for _ in range(6):
            call = self.call(chance)
            if any(item.name == name for item in call.inputs):
                return call
        return None

    def attribute(self, name: str, chance: random.Random) -> GivenAttribute | None:
        """The attribute in one that has it; None if a few tries find none."""
        for _ in range(6):
            for item in self.call(chance).attributes:
                if item.name == name and isinstance(item.value, (int, float, str, tuple)):
                    return item
        return None


def _type(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Another element type for a type variable."""
    spans = {
        name: [item for item in types if "(" not in item and item != call.types.get(name)]
        for name, types in call.version.types.items()
        if "(" not in call.types.get(name, "(")
    }
    fed = {item.type for item in call.version.inputs} | set(call.spec.type_attributes.values())
    names = [name for name, types in spans.items() if types and name in fed]
    if not names:
        return None
    variable = chance.choice(names)
    new = chance.choice(spans[variable])
    return TypeEdit(f"type {variable}", new, variable, new)


def _size(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Another size of a dimension, everywhere or in one input."""
    sized = [(name, tensor) for name, tensor in _tensors(call) if tensor.shape]
    if not sized:
        return None
    name, tensor = chance.choice(sized)
    old = chance.choice(tensor.shape)
    new = chance.choice([item for item in _SIZES if item != old])
    only = name if chance.random() < 0.4 else ""
    where = f"dimension of {only}" if only else "dimensions"
    edit = SizeEdit(where, f"{new}, was {old}", old, new, only)
    made_of = sum(tensor.element_count for _, tensor in _tensors(edit.of(call)))
    return edit if made_of <= _LARGEST else None


def _rank(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """An axis of size 1 more, or the first one less."""
    item = _tensor_input(call, chance)
    if item is None:
        return None
    name, tensor = item
    if chance.random() < 0.5 or not tensor.shape:
        shape = (1, *tensor.shape) if chance.random() < 0.7 else (*tensor.shape, 1)
    else:
        shape = tensor.shape[1:]
    return InputEdit(f"rank of {name}", f"{list(shape)}", name, reshaped(tensor, shape))


def _tensor_input(call: DrawnCall, chance: random.Random) -> tuple[str, Tensor] | None:
    tensors = _tensors(call)
    return chance.choice(tensors) if tensors else None


def _tensors(call: DrawnCall) -> list[tuple[str, Tensor]]:
    """The inputs that are tensors, by name."""
    return [(item.name, item.value) for item in call.inputs if isinstance(item.value, Tensor)]


def _is_parameter(call: DrawnCall, name: str, tensor: Tensor) -> bool:
    """Whether an input tells how to do something: a few integers behind the data."""
    if call.inputs[0].name == name or element_type(tensor.type).kind not in ("int", "uint"):
        return False
    parameter = call.version.parameter_of(name)
    role = call.spec.roles.get(name if parameter is None else parameter.name)
    return tensor.element_count < 17 or role in _HOW


def _values(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Other elements in one input; integers behind the data change a little."""
    item = _any_input(call, chance)
    if item is None:
        return None
    name, value = item
    nudge = isinstance(value, Tensor) and _is_parameter(call, name, value)
    change: Callable[[Tensor], Tensor] = (
        (lambda tensor: nudged(tensor, chance))
        if nudge
        else (lambda tensor: filled(tensor.type, tensor.shape, chance))
    )
    return InputEdit(f"values of {name}", "", name, mapped(value, change))


def _any_input(call: DrawnCall, chance: random.Random) -> tuple[str, Any] | None:
    found = [
        (item.name, item.value)
        for item in call.inputs
        if isinstance(item.value, (Tensor, SequenceValue))
    ]
    return chance.choice(found) if found else None


def _special(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Special values among the elements of one input."""
    item = _tensor_input(call, chance)
    if item is None or _is_parameter(call, *item):
        return None
    name, tensor = item
    return InputEdit(f"special values in {name}", "", name, with_specials(tensor, chance))


def _exchange(call: DrawnCall, chance: random.Random, pool: Pool) -> Edit | None:
    """An input as another vector has it."""
    item = _any_input(call, chance)
    if item is None:
        return None
    other = pool.having(item[0], chance)
    if other is None:
        return None
    value = next(one.value for one in other.inputs if one.name == item[0])
    if isinstance(value, Tensor) and isinstance(item[1], Tensor):
        value = retyped(value, item[1].type)
    return InputEdit(f"{item[0]} of another vector", "", item[0], value)


def _presence(call: DrawnCall, chance: random.Random, pool: Pool) -> Edit | None:
    """An optional input left out, or put in as another vector has it."""
    optional = [item.name for item in call.version.inputs if item.optional]
    variadic = [
        item.name
        for item in call.inputs
        if (parameter := call.version.parameter_of(item.name)) is not None and parameter.variadic
    ]
    names = optional + variadic[-1:]
    if not names:
        return None
    name = chance.choice(names)
    if any(item.name == name for item in call.inputs):
        return AbsentEdit(f"{name} absent", "", name)
    other = pool.having(name, chance)
    if other is None:
        return None
    value = next(item.value for item in other.inputs if item.name == name)
    parameter = call.version.parameter_of(name)
    word = "" if parameter is None else call.types.get(parameter.type, "")
    if isinstance(value, Tensor) and word and "(" not in word:
        value = retyped(value, word)
    return InputEdit(f"{name} given", "", name, value)


def _attribute(call: DrawnCall, chance: random.Random, pool: Pool) -> Edit | None:
    """Another value for an attribute, its default, or none."""
    names = [
        item.name
        for item in call.version.attributes.values()
        if item.type in ("int", "ints", "float", "floats", "string", "strings")
        and not call.sets_a_type(item.name)
        and item.name != "consumed_inputs"
    ]
    if not names:
        return None
    name = chance.choice(names)
    attribute = call.version.attributes[name]
    current = next((item.value for item in call.attributes if item.name == name), None)
    if current is not None and not attribute.required and chance.random() < 0.25:
        return AttributeEdit(f"attribute {name}", "absent", name, attribute.type, None)
    seen = pool.attribute(name, chance)
    if seen is not None and seen.type == attribute.type and chance.random() < 0.6:
        value: Any = seen.value
    else:
        value = attribute_value(attribute.type, current, seen, chance)
        if attribute.type == "int" and _is_flag(attribute.default, current, seen):
            value = chance.choice((0, 1))  # other numbers have no meaning that is written down
    if value is None or value == current:
        return None
    return AttributeEdit(f"attribute {name}", f"{value}", name, attribute.type, value)


def _is_flag(default: object, current: object, seen: GivenAttribute | None) -> bool:
    """Whether an attribute is 0 or 1 wherever it is known."""
    known = [default, current, None if seen is None else seen.value]
    return {item for item in known if item is not None} <= {0, 1}


def _form(call: DrawnCall, chance: random.Random, pool: Pool) -> Edit | None:
    """Another form that vectors of the operator have; some calls it cannot present all the same."""
    names = [name for name in pool.forms if name != call.form]
    if not names:
        return None
    form = chance.choice(names)
    return FieldEdit(f"form {form}", "", "form", form)


def _opset(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Another opset at which the operator version holds."""
    first, last = call.version.since_version, call.version.last_opset
    others = [item for item in range(first, last + 1) if item != call.operator_opset]
    if not others or call.spec.domain:
        return None
    opset = chance.choice(others)
    return FieldEdit("opset", f"{opset}", "operator_opset", opset)


def _outputs(call: DrawnCall, chance: random.Random, _pool: Pool) -> Edit | None:
    """Optional outputs requested, or not."""
    outputs = call.version.outputs
    if len(outputs) < 2 or any(item.variadic for item in outputs):
        return None
    names = tuple(item.name for item in outputs if not item.optional or chance.random() < 0.5)
    return (
        None
        if not names or names == call.requested
        else FieldEdit("outputs", ", ".join(names), "requested", names)
    )


_EDITORS: tuple[Callable[[Any, random.Random, Pool], Edit | None], ...] = (
    _type,
    _type,
    _type,
    _size,
    _size,
    _rank,
    _values,
    _values,
    _special,
    _special,
    _exchange,
    _presence,
    _attribute,
    _attribute,
    _attribute,
    _form,
    _form,
    _opset,
    _outputs,
)
