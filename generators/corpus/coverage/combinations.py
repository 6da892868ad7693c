"""Which element types, forms and situations meet in the corpus, by classes.

Each pair of a type class and a form, of a type class and a situation class, and of a form and a
situation class is in a valid vector of some operator's newest version, if some operator has
both halves. What cannot stand is in `IMPOSSIBLE`, with the reason.

Type classes are those of `planning.type_classes`. Situation classes are of the
node's attributes and first input (`defaults, scalar` to `attributes, many`), and of its optional
inputs (`optional left`, `optional given`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.markdown import table

from ...planning.type_classes import type_class
from ...specs.model import Literal

if TYPE_CHECKING:
    from ...planning.plans import Plan

_LARGE = 64


class Combination(NamedTuple):
    """What meets in a vector."""

    type: str
    form: str
    situation: str


#: Pairs of the fields of a combination.
PAIRS = (("type", "form"), ("type", "situation"), ("form", "situation"))


def situation_classes(plan: Plan) -> tuple[str, ...]:
    """The classes of a plan's attributes and first input, and of its optional inputs."""
    case, version = plan.case, plan.version
    inputs = case.examples[0].inputs
    known = version.attributes
    given = any(item.name in known for item in case.attributes)
    size = _size(next(iter(inputs.values()), None))
    classes = [f"{'attributes' if given else 'defaults'}, {size}"]
    optional = [item.name for item in version.inputs if item.optional]
    if optional:
        left = any(name not in inputs for name in optional)
        classes.append("optional left" if left else "optional given")
    return tuple(classes)


def _size(value: object) -> str:
    if not isinstance(value, Literal):
        return "no tensor"
    if not value.shape:
        return "scalar"
    count = math.prod(value.shape)
    return "empty" if not count else "one" if count == 1 else "few" if count < _LARGE else "many"


def combinations_of(planned: Sequence[Plan]) -> frozenset[Combination]:
    """What meets in the valid vectors of the newest version of an operator."""
    newest = max((plan.version.since_version for plan in planned), default=0)
    return frozenset(
        Combination(kind, plan.form, situation)
        for plan in planned
        if plan.version.since_version == newest and plan.kind == Kind.VALID
        for kind in {type_class(item) for item in plan.types.values()} or {"no type"}
        for situation in situation_classes(plan)
    )


@dataclass(frozen=True)
class Impossible:
    """Pairs that cannot stand.

    Attributes:
        forms: names of forms, or patterns.
        others: type or situation classes, or patterns.
        reason: why not.
    """

    forms: tuple[str, ...]
    others: tuple[str, ...]
    reason: str

    def holds(self, pair: tuple[str, str]) -> bool:
        """Whether it is about this pair, in either order."""
        return any(
            any(fnmatchcase(form, item) for item in self.forms)
            and any(fnmatchcase(other, item) for item in self.others)
            for form, other in (pair, pair[::-1])
        )


_NO_IEEE_FLOAT = (
    *("bool", "complex", "string", "float8 and less", "int4 and less"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
IMPOSSIBLE = (
    Impossible(
        ("*",),
        ("container", "*, no tensor"),
        "but for the plain ones, forms declare dimensions or have nodes that take tensors",
    ),
    Impossible(
        ("aliased", "chained", "chained_inferred"),
        _NO_IEEE_FLOAT,
        "the other nodes of the form are Neg and Reshape of IEEE 754's types",
    ),
    Impossible(
        ("through_sequence", "through_optional"),
        ("float8 and less", "int4 and less"),
        "SequenceConstruct and Optional take no such element",
    ),
    Impossible(
        ("same_seed", "other_seed"),
        _NO_IEEE_FLOAT,
        "a draw is a float; another type is made from it, or is that of an input",
    ),
    Impossible(
        ("same_seed", "other_seed"),
        ("defaults, *", "attributes, empty"),
        "a seed is an attribute, and what draws nothing shows nothing of it",
    ),
    Impossible(
        ("beside", "beside_other", "function_defaults", "function_overrides", "function_twice"),
        ("defaults, *",),
        "the form is about attributes",
    ),
)


def reason_against(pair: tuple[str, str]) -> Impossible | None:
    """Why a pair cannot stand, or None if it can."""
    return next((item for item in IMPOSSIBLE if item.holds(pair)), None)


@dataclass(frozen=True)
class Meeting:
    """The pairs of two of the three fields.

    Attributes:
        fields: which.
        stand: pairs in some vector.
        missing: pairs that could stand and do not.
        excepted: pairs of which some operator has both halves, and that cannot stand.
    """

    fields: tuple[str, str]
    stand: frozenset[tuple[str, str]]
    missing: tuple[tuple[str, str], ...]
    excepted: tuple[tuple[str, str], ...]


def meetings(operators: Iterable[AbstractSet[Combination]]) -> tuple[Meeting, ...]:
    """What meets, by the combinations of each operator."""
    each = [item for item in operators if item]
    return tuple(_meeting(each, fields) for fields in PAIRS)


def _meeting(operators: Sequence[AbstractSet[Combination]], fields: tuple[str, str]) -> Meeting:
    first, second = (Combination._fields.index(item) for item in fields)
    stand: set[tuple[str, str]] = set()
    could: set[tuple[str, str]] = set()
    for found in operators:
        stand |= {(item[first], item[second]) for item in found}
        could |= set(product({item[first] for item in found}, {item[second] for item in found}))
    absent = sorted(could - stand)
    return Meeting(
        fields,
        frozenset(stand),
        tuple(pair for pair in absent if reason_against(pair) is None),
        tuple(pair for pair in absent if reason_against(pair) is not None),
    )


def combination_gaps(found: Iterable[Meeting]) -> Iterator[str]:
    """A line for each pair that could stand and does not."""
    for meeting in found:
        for one, other in meeting.missing:
            yield (
                f"no vector has {meeting.fields[0]} '{one}' with {meeting.fields[1]} '{other}';"
                " give it to a case under `pairs`, or say in combinations.py why it cannot be"
            )


_ABOUT = (
    "Pairs of classes that meet in some valid vector of an operator's newest version; those of"
    " which an operator has both halves and that meet nowhere, on which `make check` fails; and"
    " those of them that cannot meet:"
)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def combination_table(found: Iterable[Meeting]) -> list[str]:
    """The lines of a Markdown section."""
    rows = [
        [
            f"{item.fields[0]}, {item.fields[1]}",
            *(str(len(pairs)) for pairs in (item.stand, item.missing, item.excepted)),
        ]
        for item in found
    ]
    lines = [
        "## Combinations",
        "",
        _ABOUT,
        "",
        table(("pair", "stand", "missing", "cannot"), rows, numbers=True),
        "",
    ]
    lines += [
        f"* {_codes(item.forms)} with {_codes(item.others)}: {item.reason}." for item in IMPOSSIBLE
    ]
    return lines
