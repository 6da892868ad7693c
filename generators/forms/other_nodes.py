"""Forms with other nodes before, after and beside the operator.

They stay in one module (of more than 400 lines): which form goes with which is decided by the same
few rules about types, dimensions and names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import unpack_bits
from onnx_conformance.core.values.tensors import Bounded, Drawn, Tensor

from ..oracle.arith.integers import int64_scalar, int64_tensor
from ..situations.asking import outputs_with
from ..situations.situations import Situation, tensor_named
from ..specs.model import GivenAttribute
from . import Form
from .conditions import all_of, has_attributes, has_inputs, ordinary, since_opset, well_formed
from .models import STATIC, SYMBOLIC, ModelBuilder, Presentation, operator_node

_SEED = "seed"
_SEEDS = 2**24  # up to which a float tells each whole number from the next
_ENOUGH = 512  # draws: those of two seeds are equal with a chance below 2^-100
# Two draws that differ in d of n places at one time are equal with a chance of (1 - d/n)^n, which
# is below e^-d.
_DIFFERENT = 100
_NEGATABLE = {"float32": 32, "float64": 64, "float16": 16}


def _plain(situation: Situation) -> ModelBuilder:
    """Fed inputs, the node and its outputs; other nodes can be added."""
    builder = ModelBuilder(situation)
    builder.feed_all(situation.input_names)
    builder.operator()
    return builder


def _produced(situation: Situation) -> Presentation:
    builder = ModelBuilder(situation)
    for name in situation.input_names:
        fed = builder.feed(f"{name}_source", situation.tensors(name))
        builder.node("Identity", [fed], [name])
    return builder.presented()


def _through(
    situation: Situation, wrap: str, unwrap: Callable[[ModelBuilder, str, str], str]
) -> Presentation:
    """The data becomes the element of a container, and is extracted again."""
    builder = ModelBuilder(situation)
    first, *others = situation.input_names
    source = builder.feed(f"{first}_source", situation.tensors(first))
    unwrap(builder, builder.node(wrap, [source], [f"{first}_wrapped"]), first)
    builder.feed_all(others)
    return builder.presented()


def _at_zero(builder: ModelBuilder, sequence: str, name: str) -> str:
    position = builder.initializer("position", int64_scalar(0))
    return builder.node("SequenceAt", [sequence, position], [name])


def _element(builder: ModelBuilder, optional: str, name: str) -> str:
    return builder.node("OptionalGetElement", [optional], [name])


def _chained(situation: Situation, *, inferred: bool) -> Presentation:
    """The data arrives flat; a Reshape before the node gives it the dimensions of the case.

    With `inferred` the shapes of both are constant, and the first dimension of the data is -1.
    """
    builder = ModelBuilder(situation)
    first, *others = situation.input_names
    data = situation.tensors(first)[0]
    flat = replace(data, shape=(data.element_count,))
    source = builder.feed(f"{first}_flat", [flat], SYMBOLIC if inferred else STATIC)
    literal_zero = {"allowzero": 1} if 0 in data.shape else {}
    dims = data.shape
    if inferred and dims and not literal_zero:
        dims = (-1, *dims[1:])
    shape = builder.initializer(f"{first}_dims", int64_tensor(dims))
    builder.node("Reshape", [source, shape], [first], **literal_zero)
    if inferred:
        for name in others:
            builder.initializer(name, situation.tensors(name)[0])
    else:
        builder.feed_all(others)
    return builder.presented()


def _can_be_chained(situation: Situation) -> bool:
    # The shape of Reshape is an input since opset 5; a literal zero needs allowzero, since 14.
    data = situation.tensors(situation.input_names[0])[0]
    return situation.model_opset >= (14 if 0 in data.shape else 5) and data.type in {
        "float16",
        "float32",
        "float64",
    }


def _consumed(situation: Situation) -> Presentation:
    builder = _plain(situation)
    for item in situation.outputs:
        builder.node("Identity", [item.name], [f"{item.name}_copy"])
        builder.result(
            f"{item.name}_copy",
            situation.tensors(item.name),
            type_name=item.type,
            rank=item.rank,
        )
    return builder.finish()


def _twice(situation: Situation) -> Presentation:
    builder = _plain(situation)
    again = [f"{item.name}_again" for item in situation.outputs]
    builder.add(operator_node(situation, situation.input_names, again))
    for item, name in zip(situation.outputs, again, strict=True):
        builder.result(name, situation.tensors(item.name), type_name=item.type, rank=item.rank)
    return builder.finish()


def _seeded(situation: Situation, law: str, step: float) -> Presentation:
    """A second node, with the same or another seed, and a law about both draws."""
    builder = _plain(situation)
    changed = _with_seed(situation, step)
    again = [f"{item.name}_again" for item in situation.outputs]
    builder.add(operator_node(replace(situation, attributes=changed), situation.input_names, again))
    draws = _drawn_again(situation, law, step)
    if draws is None:
        raise ValueError("the form does not apply")
    for item, name, value in zip(situation.outputs, again, draws, strict=True):
        # A law about another output is about that of the same node.
        own = [{**one, "as": f"{one['as']}_again"} if "as" in one else one for one in value.laws]
        laws = (*own, {"law": law, "as": item.name})
        drawn = Drawn(value.type, value.shape, value.data, laws)
        builder.result(name, [drawn], type_name=item.type, rank=item.rank)
    return builder.finish()


def _with_seed(situation: Situation, step: float) -> tuple[GivenAttribute, ...]:
    """The attributes with another seed."""
    return tuple(
        replace(item, value=item.value + type(item.value)(step))
        if item.name == _SEED and isinstance(item.value, (int, float))
        else item
        for item in situation.attributes
    )


def _drawn_again(situation: Situation, law: str, step: float) -> tuple[Drawn, ...] | None:
    """What the second node draws; None if that is invalid or left open.

    What is written down is one draw that keeps the laws, so another seed has a draw of its own.
    """
    changed = _with_seed(situation, step)
    named = outputs_with(situation, f"seed {law}", attributes=changed)
    draws = tuple(item.value for item in named or () if isinstance(item.value, Drawn))
    return draws if draws and len(draws) == len(situation.outputs) else None


def _is_seeded(situation: Situation) -> bool:
    """Whether the case has a seed, and results that are drawn and not open."""
    values = [value for item in situation.outputs for value in situation.values(item.name)]
    return (
        ordinary(situation)
        and well_formed(situation)
        and any(item.name == _SEED for item in situation.attributes)
        and all(
            isinstance(value, Drawn)
            and any(law["law"] in ("sum", "count") for law in value.laws)
            and value.element_count >= _ENOUGH
            for value in values
        )
        and _drawn_again(situation, "same", 0.0) is not None
    )


def _may_differ(situation: Situation) -> bool:
    """Whether two seeds are two starts of a generator, and their draws never equal by chance.

    Generators start from whole numbers, most of them unsigned, and those of C++ that are linear
    congruences start from 1 where they are given 0 ([rand.eng.lcong]): no page says of seeds less
    than 1 that they differ. One outcome of probability 1, or a range of one number, gives equal
    draws with any seed.
    """
    seeds = [item.value for item in situation.attributes if item.name == _SEED]
    if not all(isinstance(seed, (int, float)) and 1 <= seed <= _SEEDS for seed in seeds):
        return False
    if not _is_seeded(situation):
        return False
    others = _drawn_again(situation, "different", 1.0)
    if others is None:
        return False
    firsts = [value for item in situation.outputs for value in situation.values(item.name)]
    return all(
        sum(one != other for one, other in zip(_codes(first), _codes(second), strict=True))
        >= _DIFFERENT
        for first, second in zip(firsts, others, strict=True)
        if isinstance(first, Drawn)
    )


def _codes(value: Tensor) -> tuple[int, ...]:
    if not isinstance(value.data, bytes):
        raise TypeError("a draw is a number")
    return tuple(unpack_bits(value.data, element_type(value.type).bits, value.element_count))


def without_attributes(situation: Situation) -> tuple[Tensor, ...] | None:
    """The operator's result on the same inputs without attributes; None if that is invalid."""
    return _with_attributes(situation, ())


def _with_attributes(
    situation: Situation, attributes: tuple[GivenAttribute, ...]
) -> tuple[Tensor, ...] | None:
    """The operator's result with these attributes instead.

    None if that is invalid or left open, or if an output has another type than the declared one.
    """
    what = "other attributes" if attributes else "no attributes"
    named = outputs_with(situation, what, attributes=attributes)
    if named is None or len(named) != len(situation.outputs):
        return None
    found = tuple(item.value for item in named if isinstance(item.value, Tensor))
    same = [item.type for item in found] == [item.type for item in situation.outputs]
    return found if same else None


def _beside(
    situation: Situation, attributes: tuple[GivenAttribute, ...] | None, suffix: str
) -> Presentation:
    """A second node on the same inputs with other attributes."""
    outputs = None if attributes is None else _with_attributes(situation, attributes)
    if attributes is None or outputs is None:
        raise ValueError("the form does not apply")
    builder = _plain(situation)
    names = [f"{item.name}_{suffix}" for item in situation.outputs]
    other = replace(situation, attributes=attributes)
    builder.add(operator_node(other, situation.input_names, names))
    for name, tensor in zip(names, outputs, strict=True):
        builder.result(name, [tensor], type_name=tensor.type, rank=len(tensor.shape))
    return builder.finish()


def flipped(situation: Situation) -> tuple[GivenAttribute, ...] | None:
    """The attributes with the lowest bit of each flipped: 0 and 1 are exchanged, and -1 and -2.

    None if there are no attributes, or one that is not an integer.
    """
    changed = [
        replace(item, value=item.value ^ 1)
        for item in situation.attributes
        if isinstance(item.value, int)
    ]
    return tuple(changed) if changed and len(changed) == len(situation.attributes) else None


def _flips(situation: Situation) -> bool:
    """Whether the attributes can be flipped, and what follows is valid."""
    other = flipped(situation)
    return other is not None and _with_attributes(situation, other) is not None


def _aliased(situation: Situation) -> Presentation:
    """The data and the result are each negated by another node, and the result is kept."""
    builder = _plain(situation)
    first = situation.input_names[0]
    for name, tensor in [
        (first, situation.tensors(first)[0]),
        *((item.name, situation.tensors(item.name)[0]) for item in situation.outputs),
    ]:
        if tensor.type in _NEGATABLE:
            builder.node("Neg", [name], [f"{name}_negated"])
            builder.result(
                f"{name}_negated",
                [_negated(tensor)],
                type_name=tensor.type,
                rank=len(tensor.shape),
            )
    return builder.finish()


def _negated(tensor: Tensor) -> Tensor:
    """Every sign bit flipped: what Neg does to IEEE 754 numbers; any NaN equals any other."""
    width = element_type(tensor.type).bits // 8
    data = bytearray(bytes(item for item in tensor.data if isinstance(item, int)))
    for last in range(width - 1, len(data), width):
        data[last] ^= 0x80
    return replace(tensor, data=bytes(data))


def _has_negatable_data(situation: Situation) -> bool:
    """Whether the data has IEEE 754's types, and the results can be negated with it.

    A result with limits cannot: its limits would have to be negated as well.
    """
    exact = all(
        not isinstance(value, (Bounded, Drawn))
        for item in situation.outputs
        for value in situation.values(item.name)
    )
    if not exact or not situation.input_names:
        return False
    first = tensor_named(situation.data_sets[0].inputs, situation.input_names[0])
    return first.type in _NEGATABLE


FORMS = (
    Form(
        "produced",
        "Every input is the result of an Identity node.",
        applies=all_of(ordinary, has_inputs),
        build=_produced,
    ),
    Form(
        "through_sequence",
        "The data is taken out of a sequence: the control of invalid cases that give the operator"
        " the sequence itself.",
        # Sequences have operators since opset 11.
        applies=all_of(ordinary, has_inputs, since_opset(11)),
        build=lambda situation: _through(situation, "SequenceConstruct", _at_zero),
        swept=False,
    ),
    Form(
        "through_optional",
        "The data is taken out of an optional: the control of invalid cases that give the operator"
        " the optional itself.",
        # Optionals have operators since opset 15.
        applies=all_of(ordinary, has_inputs, since_opset(15)),
        build=lambda situation: _through(situation, "Optional", _element),
        swept=False,
    ),
    Form(
        "chained",
        "The data passes a Reshape first: a zero of this node then means the dimension it has here,"
        " not the one the graph's input has. Catches the merging of Reshapes.",
        applies=all_of(ordinary, has_inputs, _can_be_chained),
        build=lambda situation: _chained(situation, inferred=False),
    ),
    Form(
        "chained_inferred",
        "As `chained`, with constant shapes, of which the first has -1 where it can. Catches the"
        " merging of constant Reshapes, and -1 that is taken for a dimension.",
        applies=all_of(ordinary, has_inputs, _can_be_chained),
        build=lambda situation: _chained(situation, inferred=True),
    ),
    Form(
        "consumed",
        "The output is a graph output and the input of another node.",
        applies=all_of(ordinary, well_formed),
        build=_consumed,
    ),
    Form(
        "twice",
        "Two equal nodes on the same inputs. Catches what common-subexpression elimination breaks.",
        applies=all_of(ordinary, well_formed),
        build=_twice,
    ),
    Form(
        "same_seed",
        "Two nodes with one seed, which must draw the same. Catches a seed that is not used.",
        applies=_is_seeded,
        build=lambda situation: _seeded(situation, "same", 0.0),
    ),
    Form(
        "other_seed",
        "Two nodes with different seeds, which must not draw the same. Catches a seed that is"
        " not used.",
        applies=_may_differ,
        build=lambda situation: _seeded(situation, "different", 1.0),
    ),
    Form(
        "beside",
        "A second node on the same inputs without the attributes. Catches nodes taken for equal,"
        " and attributes that leak from one to the other.",
        applies=all_of(
            ordinary,
            well_formed,
            has_attributes,
            # Not for an attribute that the operator needs, such as the shape of Reshape-1.
            lambda situation: without_attributes(situation) is not None,
        ),
        build=lambda situation: _beside(situation, (), "default"),
    ),
    Form(
        "beside_other",
        "A second node on the same inputs with other values of the same attributes. Catches nodes"
        " taken for equal.",
        applies=all_of(ordinary, well_formed, _flips),
        build=lambda situation: _beside(situation, flipped(situation), "other"),
    ),
    Form(
        "aliased",
        "Other nodes negate the data and the result. Catches work in place on a shared buffer.",
        # Neg is defined on these types, and without `consumed_inputs`, since opset 6.
        applies=all_of(ordinary, well_formed, since_opset(6), _has_negatable_data),
        build=_aliased,
    ),
)
