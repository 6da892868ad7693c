"""The operator as a family sees it, and how a family writes a case."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from onnx_conformance.core.corpus.vectors import PHASES, Kind, Phase
from onnx_conformance.core.errors import BadInputError

from ..signatures.model import Parameter
from ..specs.cases.context import CaseContext
from ..specs.cases.given import CaseValues
from ..specs.model import AnyLiteral, Case, Example, Fault, GivenAttribute, Literal, OperatorVersion
from ..specs.words import Role, Spread
from .checking import check_case


@dataclass(frozen=True)
class Operator:
    """An operator as a family sees it.

    Attributes:
        name: as in the document.
        versions: by since_version.
        roles: the role of each input, by name.
        type_attributes: attribute -> the type variable that it sets.
        default_type: the element type of vectors that are not about types.
        cases: the cases before this family's in the spec, by id.
        covers: ids of the requirements that the spec names for this family.
        prefix: the beginning of the ids of its cases; empty or ending in `_`.
        since, until: the operator versions that the family is limited to.
        line: the line of the family in the spec.
        accepts: whether the oracle accepts a case at the newest version at which it holds; None
            where nothing is proposed, so that reading needs no oracle.
        settled: ids of the cases with vectors in the corpus; empty where nothing is listed.
    """

    name: str
    versions: Mapping[int, OperatorVersion]
    roles: Mapping[str, Role]
    type_attributes: Mapping[str, str]
    default_type: str
    cases: Mapping[str, Case]
    covers: tuple[str, ...]
    prefix: str
    since: int | None
    until: int | None
    line: int
    accepts: Callable[[Case], bool] | None
    settled: Collection[str] = frozenset()

    @cached_property
    def values(self) -> CaseValues:
        """Reads the values of its cases."""
        types = tuple(self.type_attributes)
        return CaseValues(CaseContext(self.versions, self.roles, (), {}, type_attributes=types))

    @property
    def newest(self) -> OperatorVersion:
        """The newest version that the family is for."""
        until = self.until or max(self.versions)
        return self.versions[max(number for number in self.versions if number <= until)]

    @property
    def data_inputs(self) -> tuple[Parameter, ...]:
        """The inputs whose elements are data: role `data` or `weight`."""
        return tuple(item for item in self.newest.inputs if self.roles[item.name].is_data)

    def first(self, holds: Callable[[OperatorVersion], bool]) -> int:
        """The number of the first version of which something holds."""
        return next(number for number, item in self.versions.items() if holds(item))

    def since_first(self, case: Case, holds: Callable[[OperatorVersion], bool]) -> int:
        """The same, or where the case or this family begins, whichever is later."""
        return max(self.first(holds), case.since or 0, self.since or 0)

    def case(
        self,
        name: str,
        inputs: Mapping[str, AnyLiteral],
        attributes: Mapping[str, Any] | None = None,
        *,
        kind: Kind = Kind.VALID,
        covers: Sequence[str] = (),
        control: str | None = None,
        reject: str | None = None,
        fault: Fault | None = None,
        purpose: str = "",
        **more: Any,  # noqa: ANN401  further fields of Case
    ) -> Case:
        """A case whose result the oracle computes.

        Args:
            name: the id without the family's prefix.
            inputs: values by the name of the input; for a variadic one `name_0`, `name_1` ...
            attributes: by name, or their values, of the types that the operator gives them.
            kind: valid or invalid; the oracle tells what the document leaves open.
            covers: requirements besides those that the spec names; if given, an invalid case covers
                only these.
            control: for an invalid case, the id of the valid one.
            reject: for an invalid case, the first phase at which its fault can be known.
            fault: for an invalid case, how its model differs from a well-formed one.
            purpose: what goes wrong in a runtime that fails it.
            more: other fields of `Case`.
        """
        named = tuple(covers) if kind == Kind.INVALID and covers else (*self.covers, *covers)
        if not named:
            raise BadInputError(f"case '{name}' covers nothing: give the family `covers`")
        made = Case(
            id=slug(f"{self.prefix}{name}"),
            kind=kind,
            line=self.line,
            purpose=purpose,
            covers=tuple(dict.fromkeys(named)),
            documented=None,
            attributes=tuple(
                self.attribute(key, value) for key, value in (attributes or {}).items()
            ),
            examples=(Example(inputs, None),),
            since=more.pop("since", self.since),
            until=more.pop("until", self.until),
            control=control,
            reject=_phase(reject),
            fault=fault or Fault(),
            spread=more.pop("spread", Spread.CLASSES),
            **more,
        )
        check_case(made, self.versions)  # some families evaluate it before they yield it
        return made

    def attribute(self, name: str, value: Any) -> GivenAttribute:  # noqa: ANN401  any type
        """An attribute with the type that the newest version with this attribute gives it.

        One that has its type already stays as it is.
        """
        if isinstance(value, GivenAttribute):
            return value
        for version in reversed(tuple(self.versions.values())):
            if name in version.attributes:
                return GivenAttribute(name, value, version.attributes[name].type)
        raise BadInputError(f"{self.name} has no attribute '{name}'")

    def variant(self, base: Case, name: str, **changes: Any) -> Case:  # noqa: ANN401  fields of Case
        """A case like `base` with another id, not documented, with computed results.

        It holds for the versions to which both the case and the family are limited.
        """
        examples = tuple(replace(example, outputs=None) for example in base.examples[:1])
        settled: dict[str, Any] = {
            "id": slug(f"{self.prefix}{name}"),
            "line": self.line,
            "documented": None,
            "examples": examples,
            "spread": Spread.CLASSES,
            "forms": None,
            "sweep": (),
            "since": _stricter(max, base.since, self.since),
            "until": _stricter(min, base.until, self.until),
        }
        return replace(base, **{**settled, **changes})


def _phase(text: str | None) -> Phase | None:
    """The phase that a spec names; BadInputError if there is none of that name."""
    if text is not None and text not in PHASES:
        raise BadInputError(f"'{text}' is no phase; known are: {', '.join(PHASES)}")
    return None if text is None else Phase(text)


def _stricter(choose: Callable[..., int], *limits: int | None) -> int | None:
    """The limit that satisfies all of them; None if there is none."""
    given = [limit for limit in limits if limit is not None]
    return choose(given) if given else None


def tensor(shape: Sequence[int], profile: str = "any") -> Literal:
    """A tensor of these dimensions, with elements from a data profile."""
    return Literal(tuple(shape), None, profile=profile)


def values(items: Sequence[Any], shape: Sequence[int] | None = None) -> Literal:
    """A tensor of these elements: one-dimensional unless a shape is given."""
    return Literal((len(items),) if shape is None else tuple(shape), tuple(items))


def slug(text: str) -> str:
    """A case id: lower case, digits and single underscores; a minus is an `m`."""
    text = re.sub(r"-(?=\d)", "m", text.lower())
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")


def dims_text(shape: Sequence[int]) -> str:
    """Dimensions in an id: `2x3x4`; a scalar is `scalar`."""
    return "x".join(str(item) for item in shape) if shape else "scalar"
