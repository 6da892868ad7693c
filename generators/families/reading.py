"""The `families:` of a spec: each makes cases from its parameters, and adds its requirements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

from ..situations.making import accepted
from ..specs.cases_reading import CaseContext, read_spread
from ..specs.ids import CASE_ID, read_id
from ..specs.statements import Requirement
from ..specs.words import Spread
from .operator import Operator
from .registry import cases_of, family_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from onnx_conformance.core.yaml.nodes import Node

    from ..specs.model import Case, CorpusFacts, Spec
    from .registry import Family

# Their cases are written in the spec one by one. Of other families a withdrawn id takes one out.
_WRITTEN = ("computed", "neighbours")
_OWN_KEYS = ("family", "covers", "since", "until", "prefix", "ends_only", "thin", "every_version")


@dataclass(frozen=True)
class Settled:
    """What is known of a corpus when its specs are read.

    Attributes:
        cases: the ids of the cases that have vectors, by the beginning of an operator's ids.
        propose: whether families also make the cases that they would choose today; this asks the
            oracle.
    """

    cases: Mapping[str, frozenset[str]]
    propose: bool


def add_families(
    spec: Spec, facts: CorpusFacts, node: Node, settled: Settled | None = None
) -> Spec:
    """The spec with the cases and requirements of its families, one family after the other.

    A family sees the cases before it, so that it can start from one of them. `settled` is what the
    corpus has; None if nothing is listed. Raises BadInputError, with file and line, for anything
    that a family does not accept.
    """
    known = settled or Settled({}, propose=True)
    for item in node.sequence():
        spec = _with_family(spec, facts, item, known)
    return spec


def _with_family(spec: Spec, facts: CorpusFacts, node: Node, settled: Settled) -> Spec:
    document = node.mapping(required=("family",))
    try:
        family = family_named(document["family"].string())
    except BadInputError as error:
        raise document["family"].error(str(error)) from None
    covers = tuple(
        item.one_of(tuple(spec.requirements) + tuple(family.templates), "requirement")
        for item in (document["covers"].sequence() if "covers" in document else ())
    )
    context = CaseContext(spec.versions, spec.roles, (), {})
    since, until = context.since_until(document)
    prefix = f"{read_id(document['prefix'], CASE_ID)}_" if "prefix" in document else ""

    def accepts(case: Case) -> bool:
        return accepted(_with_templates(spec, family, [case]), case, facts)

    operator = Operator(
        name=spec.operator,
        versions=spec.versions,
        roles=spec.roles,
        type_attributes=spec.type_attributes,
        default_type=spec.default_type,
        cases=spec.cases,
        covers=covers,
        prefix=prefix,
        since=since,
        until=until,
        line=node.line,
        accepts=accepts if settled.propose else None,
        settled=settled.cases.get(spec.slug, frozenset()),
    )
    made = _made_by(family, operator, document, node)
    if not made and settled.propose:
        raise node.error(f"family '{family.name}' makes no case from these parameters")
    if family.name not in _WRITTEN:
        made = tuple(case for case in made if case.id not in spec.withdrawn)
    made = tuple(replace(case, family=family.name) for case in _spread(made, document))
    made = _at_every_version(made, document)
    cases = dict(spec.cases)
    for case in made:
        if case.id in cases:
            raise node.error(
                f"family '{family.name}' makes case '{case.id}', which is already on line"
                f" {cases[case.id].line}; give it a `prefix`"
            )
        if case.id in spec.withdrawn:
            raise node.error(f"case '{case.id}' is withdrawn; its id is never used again")
        if not CASE_ID.fullmatch(case.id):
            raise node.error(f"family '{family.name}' makes the id '{case.id}', which is no id")
        cases[case.id] = case
    return replace(_with_templates(spec, family, made), cases=cases)


def _made_by(
    family: Family, operator: Operator, document: Mapping[str, Node], node: Node
) -> tuple[Case, ...]:
    """The cases of a family; BadInputError if it does not accept the parameters."""
    parameters = {name: value.plain() for name, value in document.items() if name not in _OWN_KEYS}
    try:
        return cases_of(family, operator, parameters)
    except BadInputError as error:
        raise node.error(f"family '{family.name}': {error}") from None
    except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError) as error:
        raise node.error(
            f"family '{family.name}': a parameter has another form than its manual says"
            f" ({type(error).__name__}: {error}); see `onnx-vectors families {family.name}`"
        ) from None


def _spread(made: tuple[Case, ...], document: Mapping[str, Node]) -> tuple[Case, ...]:
    """The cases of a family at the versions that it asks for."""
    spread = read_spread(document)
    if spread == Spread.ENDS:
        return tuple(_but_full(case, Spread.ENDS) for case in made)
    return tuple(_thinned(made)) if spread == Spread.THIN else made


def _thinned(cases: Iterable[Case]) -> Iterator[Case]:
    """All but the first case of each requirement, which stays at every class of versions."""
    met: set[str] = set()
    for case in cases:
        # Each version is to have each type of each variable: what sweeps them stays.
        kept = set(case.covers) - met or any(item.startswith("types:") for item in case.sweep)
        yield case if kept else _but_full(case, Spread.THIN)
        met.update(case.covers)


def _at_every_version(made: tuple[Case, ...], document: Mapping[str, Node]) -> tuple[Case, ...]:
    """The cases, with those marked that the family wants at every version."""
    if "every_version" not in document:
        return made
    known = tuple(case.id for case in made)
    named = {item.one_of(known, "case") for item in document["every_version"].sequence()}
    return tuple(replace(case, every_version=case.id in named) for case in made)


def _but_full(case: Case, spread: Spread) -> Case:
    """The case at other versions; what only the full corpus has stays out of the standard one."""
    return case if case.spread == Spread.FULL else replace(case, spread=spread)


def _with_templates(spec: Spec, family: Family, cases: Iterable[Case]) -> Spec:
    """The spec with those requirements of a family that these cases cover and it lacks.

    A family's requirement holds from the oldest to the newest version at which such a case can
    hold; if the spec states one with the same id, the spec's own counts.
    """
    requirements = dict(spec.requirements)
    for case in cases:
        for item in case.covers:
            template = family.templates.get(item)
            if template is None:
                continue
            known = requirements.get(item)
            if known is not None and known.document != _document(spec):
                continue
            since = case.since or min(spec.versions)
            until = case.until
            if known is not None:
                since = min(since, known.since)
                until = None if known.until is None or until is None else max(until, known.until)
            requirements[item] = Requirement(
                id=item,
                text=template.text.replace("{operator}", spec.operator),
                since=since,
                until=until,
                document=_document(spec),
                part=template.part,
            )
    return replace(spec, requirements=requirements)


def _document(spec: Spec) -> str:
    return f"{spec.operator}, each version's page"
