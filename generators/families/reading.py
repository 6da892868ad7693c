"""The `families:` of a spec: each makes cases from its parameters, and adds its requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml.nodes import Node

from ..situations.making import accepted
from ..specs.cases.context import CaseContext
from ..specs.cases.spreads import read_spread
from ..specs.ids import CASE_ID, read_id
from ..specs.model import Case, CorpusFacts, Spec
from ..specs.statements import Requirement
from ..specs.words import Spread
from .checking import check_case
from .operator import Operator
from .registry import Family, cases_of, family_named

#: Below it stands what a family makes its cases from.
ID = "id"
WITH = "with"
#: The other keys of an entry below `families`.
OWN_KEYS = ("covers", "since", "until", "spread", ID, WITH)


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


def templates_of(families: Iterable[Node]) -> tuple[str, ...]:
    """The ids of the requirements that the families of a spec may state."""
    return tuple(name for node in families for name in _family(node).templates)


def _family(node: Node) -> Family:
    document = node.mapping(("family",), OWN_KEYS)
    try:
        return family_named(document["family"].string())
    except BadInputError as error:
        raise document["family"].error(str(error)) from None


def add_families(
    spec: Spec, facts: CorpusFacts, families: Iterable[Node], settled: Settled | None = None
) -> Spec:
    """The spec with the cases and requirements of its families, one family after the other.

    A family sees the cases before it, so that it can start from one of them. `settled` is what the
    corpus has; None if nothing is listed. Raises BadInputError, with file and line, for anything
    that a family does not accept, and for a written case that no operator could be given.
    """
    known = settled or Settled({}, propose=True)
    for case in spec.cases.values():
        try:
            check_case(case, spec.versions)
        except BadInputError as error:
            raise BadInputError(f"{spec.path}:{case.line}: {error}") from None
    for item in families:
        spec = _with_family(spec, facts, item, known)
    return spec


def _with_family(spec: Spec, facts: CorpusFacts, node: Node, settled: Settled) -> Spec:
    family = _family(node)
    document = node.mapping()
    covers = tuple(
        item.one_of(tuple(spec.requirements) + tuple(family.templates), "requirement")
        for item in (document["covers"].sequence() if "covers" in document else ())
    )
    context = CaseContext(spec.versions, spec.roles, (), {})
    since, until = context.since_until(document)
    prefix = f"{read_id(document[ID], CASE_ID)}_" if ID in document else ""

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
    made = tuple(case for case in made if case.id not in spec.withdrawn)
    made = tuple(replace(case, family=family.name) for case in _spread(made, document))
    cases = dict(spec.cases)
    for case in made:
        if case.id in cases:
            raise node.error(
                f"family '{family.name}' makes case '{case.id}', which is already on line"
                f" {cases[case.id].line}; give it an `id`"
            )
        if not CASE_ID.fullmatch(case.id):
            raise node.error(f"family '{family.name}' makes the id '{case.id}', which is no id")
        cases[case.id] = case
    return replace(_with_templates(spec, family, made), cases=cases)


def _made_by(
    family: Family, operator: Operator, document: Mapping[str, Node], node: Node
) -> tuple[Case, ...]:
    """The cases of a family; BadInputError if it does not accept the parameters."""
    given = document[WITH].mapping() if WITH in document else {}
    parameters = {name: value.plain() for name, value in given.items()}
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
    """The cases of a family as widely as the spec says; as the family says where it does not."""
    level, _ = read_spread(document.get("spread"), (), ())
    if level is None:
        return made
    return tuple(
        case
        # What only the full corpus has stays out of the standard one; and where a type variable is
        # swept, each version is to have each type of each of them.
        if case.spread == Spread.FULL or any(item.startswith("types:") for item in case.sweep)
        else replace(case, spread=level)
        for case in made
    )


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
