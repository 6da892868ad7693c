"""The family of operators that work on each element by itself, with one input or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx_conformance.core.corpus.vectors import Kind

from ...signatures.model import Parameter
from ...specs.model import AnyLiteral, Case
from ...specs.words import Spread
from ..operator import Operator, dims_text, tensor
from ..registry import Template, family

SHAPE = "shape-is-kept"
BROADCAST = "broadcasts-multidirectionally"
BROADCAST_INVALID = "broadcast-needs-matching-dimensions"

_SHAPES = ((), (1,), (0,), (2, 3), (2, 0, 3), (2, 1, 3, 2))
_RANK_NINE = (1, 2, 1, 1, 2, 1, 1, 1, 3)
# Axes of equal size, each of which may be read as two: whatever permutes them shows.
_EQUAL_AXES = (4, 4, 4, 4, 4)
_PERMUTED = "two axes of equal size are exchanged, or one is gone through in another order"
# Lengths around the widths of vector registers: a remainder of every size occurs.
_TAILS = (7, 16, 33)
# What stands for a profile with special values where these are not the subject.
_ORDINARY = {
    "any": "tame",
    "specials": "tame",
    "numbers": "tame",
    "finite": "tame",
    "nonzero": "positive",
}
# Types with so few numbers that all of them can be tried.
_SMALL_FLOATS = ("float16", "bfloat16")

# Pairs of shapes for multidirectional broadcasting (ONNX Broadcasting.md), with what they show.
_PAIRS: tuple[tuple[str, Sequence[int], Sequence[int]], ...] = (
    ("scalar_second", (2, 3), ()),
    ("scalar_first", (), (2, 3)),
    ("one_second", (2, 3), (1,)),
    ("trailing", (2, 3, 4), (4,)),
    ("trailing_first", (4,), (2, 3, 4)),
    ("leading_one", (2, 3), (1, 3)),
    ("inner_one", (2, 3, 4), (2, 1, 4)),
    ("last_one", (2, 3), (2, 1)),
    ("both_sided", (3, 1), (1, 4)),
    ("both_sided_rank", (2, 1, 4), (3, 1)),
    ("interleaved", (2, 1, 3, 1), (1, 4, 1, 2)),
    ("rank_gap_four", (2, 1, 2, 1, 3), (3,)),
    ("ones_of_higher_rank", (3,), (1, 1, 1)),
    ("zero_against_one", (0, 3), (1, 3)),
    ("one_against_zero", (2, 1), (2, 0)),
    ("zero_against_zero", (0, 2), (0, 2)),
    ("zero_against_scalar", (2, 0), ()),
)
_MISMATCHES: tuple[tuple[str, Sequence[int], Sequence[int]], ...] = (
    ("mismatch", (2, 3), (2, 4)),
    ("two_against_zero", (2, 3), (0, 3)),
    ("leading_aligned", (2, 3), (2,)),
)

TEMPLATES = {
    SHAPE: Template(
        "The output has the shape of the input, whatever its rank, and elements are taken one by"
        " one: what stands at an index depends on nothing else.",
        "Summary and Outputs",
    ),
    BROADCAST: Template(
        "The inputs are broadcast to a common shape: dimensions are aligned at the last one, and a"
        " dimension of 1 or an absent one is repeated, on either side.",
        "Summary; Broadcasting in ONNX, Multidirectional Broadcasting",
    ),
    BROADCAST_INVALID: Template(
        "Dimensions that differ, none of them being 1, cannot be broadcast; the model is invalid.",
        "Broadcasting in ONNX, Multidirectional Broadcasting",
    ),
}


@family("elementwise", TEMPLATES)
def elementwise(
    operator: Operator,
    *,
    data: str | list[str] = "specials",
    shapes_data: str | list[str] = "",
    broadcast: bool = True,
    counts: tuple[int, ...] = (1, 2, 3, 9),
    reject: str = "load",
) -> Iterator[Case]:
    """Each element of the output follows from the elements at the same place.

    For one data input: the whole lattice of special values, ranks 0 to 9, empty tensors, five
    axes of equal size, and lengths around the widths of vector registers; in the full corpus also
    every number of each float type of 16 bits. For two or more: every special value against every
    other, equal shapes of all ranks, and the pairs of multidirectional broadcasting with their
    invalid neighbours. For a variadic input: several numbers of inputs as well.

    Parameters:
        data: data profile of each data input (one for all, or a list) where special values are
            tried. `a/b` takes `a` for floating-point types and `b` for the others.
        shapes_data: data profile where shapes are tried. If not given, that of `data`, but ordinary
            numbers in the place of special ones: who flushes subnormal numbers fails no shape.
        broadcast: whether the inputs are broadcast; false for the versions before 7.
        counts: numbers of inputs of a variadic operator.
        reject: the phase at which shapes that cannot be broadcast can be known at the earliest.
    """
    inputs = operator.data_inputs
    variadic = len(inputs) == 1 and inputs[0].variadic
    arity = 2 if variadic else len(inputs)
    special = _profiles(data, arity)
    plain = _profiles(shapes_data, arity) if shapes_data else list(map(_followed, special))
    names = _names(inputs, arity)
    covers: tuple[str, ...] = ()
    specials = _crossed(special)
    if arity == 1:
        covers, specials = (SHAPE,), [tensor((), f"lattice:{special[0]}")]
    yield operator.case("specials", dict(zip(names, specials, strict=True)), covers=covers)
    for shape in (*_SHAPES, _RANK_NINE, *((item,) for item in _TAILS)):
        given = _filled(names, [shape] * arity, plain)
        yield operator.case(f"shape_{dims_text(shape)}", given, covers=covers)
    yield operator.case(
        f"shape_{dims_text(_EQUAL_AXES)}",
        _filled(names, [_EQUAL_AXES] * arity, plain),
        covers=covers,
        purpose=_PERMUTED,
        spread=Spread.NEWEST,
    )
    if arity == 1:
        yield from _every_number(operator, names[0])
        return
    if broadcast:
        yield from _broadcasts(operator, names, plain, reject)
    if variadic:
        for count in counts:
            if count != arity:
                many = _names(inputs, count)
                shapes = [
                    (2, 3) if index % 2 == 0 or not broadcast else (3,) for index in range(count)
                ]
                yield operator.case(
                    f"count_{count}", _filled(many, shapes, _profiles(plain, count))
                )


def _every_number(operator: Operator, name: str) -> Iterator[Case]:
    """Every number of each float type of 16 bits, for the full corpus."""
    variable = operator.newest.main_variable
    small = [item for item in _SMALL_FLOATS if variable and item in operator.newest.types[variable]]
    for digit in range(16 if small else 0):
        yield operator.case(
            f"codes_{digit:x}000_to_{digit:x}fff",
            {name: tensor((), f"codes:{digit:x}")},
            covers=(SHAPE,),
            types=tuple(small),
            sweep=("types",),
            forms=("static",),
            spread=Spread.FULL,
        )


def _broadcasts(
    operator: Operator, names: Sequence[str], profiles: Sequence[str], reject: str
) -> Iterator[Case]:
    for label, first, second in _PAIRS:
        shapes = [first, second, *([(3,) if first[-1:] == (3,) else ()] * (len(names) - 2))]
        yield operator.case(
            f"broadcast_{label}", _filled(names, shapes, profiles), covers=(BROADCAST,)
        )
    control = f"{operator.prefix}shape_2x3"
    for label, first, second in _MISMATCHES:
        shapes = [first, second, *([first] * (len(names) - 2))]
        yield operator.case(
            f"broadcast_{label}",
            _filled(names, shapes, profiles),
            kind=Kind.INVALID,
            covers=(BROADCAST_INVALID,),
            control=control,
            reject=reject,
        )


def _names(inputs: Sequence[Parameter], count: int) -> tuple[str, ...]:
    if inputs[0].variadic:
        return tuple(inputs[0].instance(index) for index in range(count))
    return tuple(item.name for item in inputs)


def _profiles(data: str | Sequence[str], count: int) -> list[str]:
    given = [data] if isinstance(data, str) else list(data)
    return (given + [given[-1]] * count)[:count]


def _followed(profile: str) -> str:
    """A profile without special floating-point values, so that a person can follow each element."""
    floats, _, others = profile.partition("/")
    return f"{_ORDINARY[floats]}/{others or floats}" if floats in _ORDINARY else profile


def _crossed(profiles: Sequence[str]) -> list[AnyLiteral]:
    """The special values of the inputs: each of the first against each of the second.

    A third and further inputs repeat the first.
    """
    return [tensor((), f"crossed{index % 2}:{profile}") for index, profile in enumerate(profiles)]


def _filled(
    names: Sequence[str], shapes: Sequence[Sequence[int]], profiles: Sequence[str]
) -> dict[str, AnyLiteral]:
    return {
        name: tensor(shape, profile)
        for name, shape, profile in zip(names, shapes, profiles, strict=True)
    }
