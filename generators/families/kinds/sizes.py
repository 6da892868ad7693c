"""The family of large tensors: the paths of a kernel that small ones never take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from onnx_conformance.core.errors import BadInputError

from ...specs.model import AnyLiteral, Case, GivenAttribute
from ...specs.words import Spread
from ..assigning import assigned
from ..operator import Operator, dims_text, tensor
from ..registry import family

#: The name of the family; the ids of its cases begin with it.
SIZES = "sizes"
# A multiple of 32 and a tail, above the sizes of blocks: 256, 1,024, 4,096, 65,536 and 131,072.
_LENGTHS = (256 + 1, 1024 + 15, 4096 + 7, 65536 + 1, 131072 + 31)
_OF_EACH_TYPE = 65536 + 31
# Rows along an axis: the shape, the axis, and a name.
_ROWS: tuple[tuple[str, tuple[int, ...], int], ...] = (
    ("many_last", (70001, 3), 1),
    ("long_last", (3, 70001), 1),
    ("many_first", (3, 70001), 0),
    ("long_first", (70001, 3), 0),
    ("middle", (5, 1031, 17), 1),
    ("blocks_last", (33, 4099), 1),
)
_ROWS_OF_EACH_TYPE = ("each_type", (65, 1031), 1)
_COUNTS = (9, 33, 70)
_NARROW = ("float16", "bfloat16", "int8", "uint8", "bool")
_WIDE = ("float64", "int64", "uint64", "complex128")
# Runtimes lag behind the newest opset: what changed later is tried as it was at this one, too.
_COMMON_OPSET = 25
_PERIOD = 251  # prime to the sizes of all blocks; few enough that the oracle is asked little
_BIND = "bind"
_FEW = 7  # of a second input that is broadcast: each of the one meets each of the other


@family(SIZES)
def sizes(
    operator: Operator,
    *,
    kind: str = "given",
    data: str | list[str] = "tame/distinct",
    cases: dict[str, Any] | None = None,
    each: dict[str, Any] | None = None,
    common: dict[str, Any] | None = None,
    axis: str = "axis",
    values: bool = False,
    rows: list[str] | None = None,
    lengths: list[int] | None = None,
    counts: list[int] | None = None,
    broadcast: bool = True,
    types: list[str] | None = None,
    texts: dict[str, Any] | None = None,
    requested: list[str] | None = None,
    bind: dict[str, str] | None = None,
) -> Iterator[Case]:
    """Large tensors: main loops and tails, several blocks, many short rows and few long ones.

    The elements are few numbers that follow each other again and again, 251 of them unless a value
    says otherwise, a number that is prime to the sizes of blocks: who shifts, repeats or leaves out
    a block is seen, and the oracle is asked once for what is alike. The cases stand at the newest
    version, and where that is newer than opset 25 also at those from opset 25 on, in the plain form
    alone; in the element type of vectors that are not about types, and where it says so in one
    narrow and one wide type.

    Parameters:
        kind: `elementwise` for operators that take elements one by one: 1,039 to 131,103 elements,
            65,567 in narrow and wide types, both ways of broadcasting, and many inputs of a
            variadic one; `rows` for those that work along an axis: rows in the first, the last and
            a middle axis; `given` for all others: `cases` and `each` alone.
        data: data profile of each data input (one for all, or a list), repeated.
        cases: further cases by name, written as in `combinations`, in one element type; many values
            of one shape are `{times: 70, of: [3, 5]}`; elements that are written out and come again
            `{shape: [65, 4], again: [0, 0, 1, 1], step: 2}`, each time greater by the step; a list
            of an attribute `{count: 300, again: [1, 5], step: 7}`, one of strings, those of a data
            profile, `{count: 300, words: distinct}`; keys and values of a map are such lists.
        each: the same in the narrow and the wide type too.
        common: what every case has besides, by name.
        axis: for `rows` the attribute or input that holds the axis.
        values: whether it is a list, of one axis.
        rows: for `rows` the names of those that are wanted, where not all: many_last, long_last,
            many_first, long_first, middle, blocks_last, each_type.
        lengths: for `elementwise` those that are wanted, where not all.
        counts: for a variadic input the numbers of inputs, where not 9, 33 and 70.
        broadcast: for `elementwise` with several inputs whether they are broadcast.
        types: the narrow and the wide element type, where they are not the first of the usual ones.
        texts: cases by name in the element type string.
        requested: names of the outputs that are asked for, where not all are.
        bind: types of type variables; a case may have its own under the same name.
    """
    maker = _Maker(operator, common or {}, types, requested, bind or {})
    if kind == "elementwise":
        yield from _elementwise(
            maker, data, lengths or list(_LENGTHS), counts or list(_COUNTS), broadcast=broadcast
        )
    elif kind == "rows":
        yield from _rows(maker, data, (axis, values), rows)
    elif kind != "given":
        raise BadInputError(f"kind is 'elementwise', 'rows' or 'given', not '{kind}'")
    profile = _repeated(_profiles(data, 1)[0])
    for name, assignment in (cases or {}).items():
        yield maker.assigned(name, assignment, profile)
    for name, assignment in (texts or {}).items():
        yield maker.assigned(name, assignment, profile, types=("string",))
    for name, assignment in (each or {}).items():
        yield maker.assigned(name, assignment, profile)
        yield from maker.in_other_types(name, assignment, profile)


class _Maker:
    """Writes cases of one operator."""

    def __init__(
        self,
        operator: Operator,
        common: Mapping[str, Any],
        types: Sequence[str] | None,
        requested: Sequence[str] | None,
        bind: Mapping[str, str],
    ) -> None:
        self.operator = operator
        self._common = common
        self._bind = bind
        self._requested = tuple(requested) if requested else None
        self._types = tuple(types) if types else _narrow_and_wide(operator)
        newest = max(operator.versions)
        until = operator.until or newest
        common_version = max(
            (item for item in operator.versions if item <= min(_COMMON_OPSET, until)),
            default=newest,
        )
        newest = operator.newest.since_version
        self._since = operator.since or (common_version if newest > _COMMON_OPSET else newest)

    def assigned(
        self,
        name: str,
        assignment: Mapping[str, Any],
        profile: str,
        types: tuple[str, ...] | None = None,
    ) -> Case:
        """A case whose values are written as in a spec."""
        given = {key: value for key, value in assignment.items() if key != _BIND}
        attributes, inputs = self._read(given, profile)
        return self._case(name, inputs, attributes, types, assignment.get(_BIND))

    def _read(
        self, assignment: Mapping[str, Any], profile: str
    ) -> tuple[dict[str, GivenAttribute], dict[str, AnyLiteral]]:
        given = {**self._common, **assignment}
        return assigned(
            self.operator,
            {name: _times(value, profile) for name, value in given.items()},
            profile,
        )

    def in_other_types(
        self, name: str, assignment: Mapping[str, Any], profile: str
    ) -> Iterator[Case]:
        """The same in a narrow and a wide type, if the operator has them."""
        if self._types:
            attributes, inputs = self._read(assignment, profile)
            yield self._case(f"{name}_in_types", inputs, attributes, types=self._types)

    def of(
        self, name: str, inputs: Mapping[str, AnyLiteral], *, each_type: bool = False
    ) -> Iterator[Case]:
        """A case of these inputs; in a narrow and a wide type instead of the plain one."""
        if each_type and not self._types:
            return
        attributes, literals = assigned(self.operator, self._common, "")
        types = self._types if each_type else None
        yield self._case(name, {**inputs, **literals}, attributes, types=types)

    def _case(
        self,
        name: str,
        inputs: Mapping[str, AnyLiteral],
        attributes: Mapping[str, Any],
        types: tuple[str, ...] | None = None,
        bind: Mapping[str, str] | None = None,
    ) -> Case:
        names = [item.name for item in self.operator.newest.inputs]
        ordered = sorted(inputs.items(), key=lambda item: _position(names, item[0]))
        return self.operator.case(
            f"{SIZES}_{name}",
            dict(ordered),
            attributes,
            types=types,
            forms=("static",),
            spread=Spread.VERSIONS,
            since=self._since,
            requested=self._requested,
            bind=self._bind if bind is None else bind,
        )


def _times(value: Any, profile: str) -> Any:  # noqa: ANN401  what YAML holds
    """A value that is written once for many: `{times: 70, of: [3, 5]}`."""
    keys = set(value) if isinstance(value, dict) else set()
    if keys == {"sequence"}:
        return {"sequence": _times(value["sequence"], profile)}
    if keys == {"map"}:
        return {"map": {name: _times(item, profile) for name, item in value["map"].items()}}
    if "again" in keys:
        return _coming_again(value)
    if keys == {"count", "words"}:
        return [f"{value['words']} {index}" for index in range(value["count"])]
    if keys != {"times", "of"}:
        return value
    _, _, name = profile.rpartition(":")
    return [
        {"shape": value["of"], "profile": _repeated(name, index)}
        if isinstance(value["of"], list)
        else value["of"]
        for index in range(value["times"])
    ]


def _coming_again(value: Mapping[str, Any]) -> Any:  # noqa: ANN401  what YAML holds
    """A tensor, where a shape is given, or a list of values that come again."""
    step = value.get("step", 0)
    if "shape" not in value:
        return _again(value["again"], value["count"], step)
    kept = {name: value[name] for name in ("shape", "type") if name in value}
    return {**kept, "values": _again(value["again"], math.prod(value["shape"]), step)}


def _again(values: Sequence[Any], count: int, step: float) -> list[Any]:
    """Values that follow each other again and again, each time greater by a step."""
    return [
        values[at % len(values)] + step * (at // len(values)) if step else values[at % len(values)]
        for at in range(count)
    ]


def _position(names: Sequence[str], name: str) -> int:
    """The place of an input; the values of a variadic one stay in their order behind the others."""
    return names.index(name) if name in names else len(names)


def _narrow_and_wide(operator: Operator) -> tuple[str, ...]:
    variable = operator.newest.main_variable
    listed = operator.newest.types[variable] if variable else ()
    found = [
        next((item for item in names if item in listed and item != operator.default_type), "")
        for names in (_NARROW, _WIDE)
    ]
    return tuple(filter(None, found))


def _profiles(data: str | Sequence[str], count: int) -> list[str]:
    given = [data] if isinstance(data, str) else list(data)
    return (given + [given[-1]] * count)[:count]


def _repeated(profile: str, which: int = 0, period: int = _PERIOD) -> str:
    """A profile whose first elements are repeated; one that says so itself stays as it is."""
    if ":" in profile:
        return profile
    return f"cycle{period}x{which % 100}:{profile}"


def _elementwise(
    maker: _Maker,
    data: str | Sequence[str],
    lengths: Sequence[int],
    counts: Sequence[int],
    *,
    broadcast: bool,
) -> Iterator[Case]:
    inputs = [item for item in maker.operator.data_inputs if not item.optional]
    variadic = len(inputs) == 1 and inputs[0].variadic
    names = (
        [inputs[0].instance(index) for index in range(2)]
        if variadic
        else [item.name for item in inputs]
    )
    profiles = _profiles(data, len(names))

    def filled(shapes: Iterable[Sequence[int]], periods: Sequence[int]) -> dict[str, AnyLiteral]:
        return {
            name: tensor(shape, _repeated(profile, which, period))
            for which, (name, shape, profile, period) in enumerate(
                zip(names, shapes, profiles, periods, strict=True)
            )
        }

    same = [_PERIOD] * len(names)
    for length in lengths:
        yield from maker.of(str(length), filled([(length,)] * len(names), same))
    yield from maker.of(
        f"{_OF_EACH_TYPE}_in_types", filled([(_OF_EACH_TYPE,)] * len(names), same), each_type=True
    )
    if len(names) > 1 and broadcast:
        few = [_PERIOD, *[_FEW] * (len(names) - 1)]
        for label, first, second in (
            ("rows", (129, 257), (257,)),
            ("columns", (129, 257), (129, 1)),
            ("both", (131, 1), (1, 1031)),
            ("many", (70001, 3), (3,)),
        ):
            shapes = [first, *[second] * (len(names) - 1)]
            yield from maker.of(f"broadcast_{label}", filled(shapes, few))
    if variadic:
        for count in counts:
            shapes = [(263,) if index % 2 == 0 else (3, 263) for index in range(count)]
            if not broadcast:
                shapes = [(263,)] * count
            yield from maker.of(
                f"count_{count}",
                {
                    inputs[0].instance(index): tensor(shape, _repeated(profiles[0], index))
                    for index, shape in enumerate(shapes)
                },
            )


def _rows(
    maker: _Maker,
    data: str | Sequence[str],
    axis: tuple[str, bool],
    wanted: Sequence[str] | None,
) -> Iterator[Case]:
    name = maker.operator.data_inputs[0].name
    profile = _repeated(_profiles(data, 1)[0])
    for label, shape, place in _ROWS:
        if wanted is None or label in wanted:
            yield maker.assigned(
                f"rows_{label}_{dims_text(shape)}",
                {name: list(shape), axis[0]: [place] if axis[1] else place},
                profile,
            )
    label, shape, place = _ROWS_OF_EACH_TYPE
    if wanted is not None and label not in wanted:
        return
    yield from maker.in_other_types(
        f"rows_{dims_text(shape)}",
        {name: list(shape), axis[0]: [place] if axis[1] else place},
        profile,
    )
