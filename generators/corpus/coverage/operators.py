"""Which cases exercise each requirement, and how many vectors each version, type and form has.

A gap is a requirement without a case at a version at which it holds, an element type that no vector
of a version has, what a version is never asked (`asked`), a form or type that a case names and that
suits it nowhere, or a function of the oracle without a requirement. `onnx-vectors check` fails on
any gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from onnx_conformance.core.corpus.vectors import KINDS, Kind
from onnx_conformance.core.markdown import escaped, table

from ...forms import all_forms
from ...planning.plans import Plan
from ...signatures.comparing import version_name
from ...signatures.reading import FILE_NAME, Signatures, read_signatures
from ...situations.type_texts import is_tensor
from ...situations.variants import holds_at
from ...specs.model import Spec
from ...specs.second_sources import SECOND_SOURCE_KINDS, SecondSource
from ...specs.statements import Requirement
from ...specs.words import Spread
from .classes import NO_PAIRS, ClassPairs, class_lines, class_pairs
from .combinations import (
    Combination,
    Meeting,
    combination_gaps,
    combination_table,
    combinations_of,
    meetings,
)
from .oracles import implemented, oracle_gaps
from .version_gaps import version_gaps

_Key: TypeAlias = Callable[[Plan], str]

COVERAGE_PAGE = Path("docs/coverage.md")


@dataclass(frozen=True)
class OperatorCoverage:
    """What the vectors of one operator cover.

    Attributes:
        name: the operator, with its domain where that is not the default one.
        versions, requirements, cases: how many there are.
        kinds: number of vectors of each kind.
        gaps: a line for each thing that the spec promises and no vector shows.
        combinations, classes: what meets in the vectors of its newest version.
    """

    name: str
    versions: int
    requirements: int
    cases: int
    kinds: Mapping[str, int]
    gaps: tuple[str, ...]
    combinations: frozenset[Combination] = frozenset()
    classes: ClassPairs = NO_PAIRS


def operator_coverage(spec: Spec, planned: Sequence[Plan]) -> OperatorCoverage:
    """What the vectors of one spec cover."""
    kinds = Counter(plan.kind for plan in planned)
    return OperatorCoverage(
        name=_full_name(spec.domain, spec.operator),
        versions=len(spec.versions),
        requirements=len(spec.requirements),
        cases=len(spec.cases),
        kinds={kind: kinds[kind] for kind in Kind},
        gaps=tuple(operator_gaps(spec, planned)),
        combinations=combinations_of(planned),
        classes=class_pairs(spec, planned),
    )


def operator_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """A line for each thing that one spec promises and none of these vectors shows."""
    shown = {(item, plan.version.since_version) for plan in planned for item in plan.case.covers}
    for requirement in spec.requirements.values():
        yield from _requirement_gaps(spec, requirement, shown)
    yield from _table_gaps(spec, planned)
    yield from version_gaps(spec, planned)
    yield from _case_gaps(spec, planned)
    yield from oracle_gaps(spec, planned)


def _requirement_gaps(
    spec: Spec, requirement: Requirement, shown: AbstractSet[tuple[str, int]]
) -> Iterator[str]:
    """Gaps of one requirement; `shown` has the versions at which a vector exercises it."""
    # Cases that only the full profile has cover nothing of the standard corpus.
    cases = [case for case in covering(spec, requirement) if spec.cases[case].spread != Spread.FULL]
    where = f"{spec.path}: requirement '{requirement.id}'"
    if requirement.uncovered is not None:
        if cases:
            yield f"{where} is said to be uncovered, but case '{cases[0]}' covers it"
        return
    if not cases:
        yield f"{where} has no case; add one, or say in `uncovered` why there is none"
        return
    for version in spec.versions.values():
        number = version.since_version
        if (
            requirement.holds_at(number)
            and (requirement.id, number) not in shown
            and not any(holds_at(spec, spec.cases[case], version) for case in cases)
        ):
            yield f"{where} has no case that holds at version {number}"


def _table_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """Element types of each version's type variables that no vector has."""
    seen = {
        (plan.version.since_version, variable, text)
        for plan in planned
        if plan.kind != Kind.INVALID
        for variable, text in plan.types.items()
    }
    for number, version in spec.versions.items():
        for variable, types in version.types.items():
            for text in types:
                if is_tensor(text) and (number, variable, text) not in seen:
                    yield (
                        f"{spec.path}: {spec.operator}-{number} has no valid vector of {text}"
                        + ("" if variable == version.main_variable else f" for {variable}")
                    )


def _case_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """Forms and types that a case names and that suit it at no version."""
    shown = {(plan.case.id, plan.form) for plan in planned}
    shown |= {(plan.case.id, plan.type) for plan in planned}
    pairs = {(plan.case.id, plan.form, plan.type) for plan in planned if plan.case.pairs}
    for case in spec.cases.values():
        if case.spread == Spread.FULL:
            continue
        types = (
            case.types if case.types and "types" in case.sweep and case.kind == Kind.VALID else ()
        )
        for form, names in case.pairs.items():
            for name in names:
                if (case.id, form, name) not in pairs:
                    where = f"{spec.path}:{case.line}: case '{case.id}'"
                    yield f"{where} has no vector of {name} in form '{form}'; take it out"
        for what, names in (("form", case.forms or ()), ("type", types)):
            for name in names:
                if (case.id, name) not in shown:
                    where = f"{spec.path}:{case.line}: case '{case.id}'"
                    yield f"{where} has no vector of {what} '{name}'; take it out"


def covering(spec: Spec, requirement: Requirement) -> tuple[str, ...]:
    """Ids of the cases that cover a requirement."""
    return tuple(case.id for case in spec.cases.values() if requirement.id in case.covers)


_ABOUT = (
    "Made by `onnx-vectors coverage`; `make check` fails where this page is out of date or a"
    " requirement has no case. `onnx-vectors coverage OPERATOR` shows the requirements of one"
    " operator, and its vectors by version, element type and form."
)


def summary_page(
    operators: Sequence[OperatorCoverage],
    declared: int,
    versions: int,
    others: Sequence[OperatorCoverage] = (),
    deprecated: Sequence[str] = (),
) -> str:
    """The coverage of all operators as a Markdown page.

    Args:
        operators: the operators that have a spec.
        declared: how many operators ONNX has.
        versions: how many versions they have.
        others: subjects that are not operators, such as the model itself.
        deprecated: the versions that no node should use any more, such as `Scatter-11`.
    """
    rows = [
        [
            item.name,
            str(item.versions),
            str(item.requirements),
            str(item.cases),
            *(str(item.kinds[kind]) for kind in KINDS),
            str(sum(item.kinds.values())),
        ]
        for item in (*operators, *others)
    ]
    total = [str(sum(int(row[index]) for row in rows)) for index in range(1, 8)]
    header = ["operator", "versions", "requirements", "cases", *KINDS, "vectors"]
    covered = sum(item.versions for item in operators)
    have = (
        f"{len(operators)} of {declared} operators have a spec, {covered} of {versions} versions."
    )
    if deprecated:
        listed = ", ".join(deprecated)
        have += f" {len(deprecated)} are deprecated, and have no vectors: {listed}."
    if others:
        names = ", ".join(item.name for item in others)
        have += f" Beside them, about whole models: {names}, whose versions are IR versions."
    return "\n".join(
        [
            "# Coverage",
            "",
            _ABOUT,
            "",
            have,
            "",
            *_table(header, [*rows, ["**all**", *total]]),
            "",
        ]
    )


def corpus_gaps(specs: Path, operators: Sequence[OperatorCoverage]) -> Iterator[str]:
    """The gaps of each operator, and the combinations that the corpus lacks as a whole."""
    for item in operators:
        yield from item.gaps
    yield from combination_gaps(_meetings(specs, operators))


def _meetings(specs: Path, operators: Sequence[OperatorCoverage]) -> tuple[Meeting, ...]:
    """What meets in the corpus; nothing is said of one that lacks operators of ONNX."""
    if not (specs / FILE_NAME).is_file():
        return ()
    known = read_signatures(specs / FILE_NAME).operators()
    names = {_full_name(domain, name) for domain, name in known}
    if not names <= {item.name for item in operators}:
        return ()
    return meetings(item.combinations for item in operators)


def operators_without_spec(specs: Path, operators: Sequence[OperatorCoverage]) -> Iterator[str]:
    """A line for each operator of the snapshot of ONNX's schemas that no spec is about.

    A folder that has most of them is to have all; one with a few specs of its own is not.
    """
    path = specs / FILE_NAME
    if not path.is_file():
        return
    have = {item.name for item in operators}
    known = read_signatures(path).operators()
    missing = [(domain, name) for domain, name in known if _full_name(domain, name) not in have]
    if len(missing) > len(known) / 2:
        return
    for domain, name in missing:
        option = f" --domain {domain}" if domain else ""
        yield f"{path}: {name} has no spec; `onnx-vectors new {name}{option}` writes its skeleton"


def _full_name(domain: str, name: str) -> str:
    return f"{domain}.{name}" if domain else name


def coverage_page(specs: Path, operators: Sequence[OperatorCoverage]) -> str:
    """The page of all operators, compared with the snapshot of ONNX's schemas in `specs`.

    A folder without a snapshot has operators of its own.
    """
    if not (specs / FILE_NAME).is_file():
        return summary_page(operators, len(operators), sum(item.versions for item in operators))
    signatures = read_signatures(specs / FILE_NAME)
    known = signatures.operators()
    versions = sum(len(signatures.versions(domain, name)) for domain, name in known)
    names = {_full_name(domain, name) for domain, name in known}
    others = [item for item in operators if item.name not in names]
    page = summary_page(
        [item for item in operators if item.name in names],
        len(known),
        versions,
        others,
        _deprecated(signatures),
    )
    found = _meetings(specs, operators)
    lines = [*combination_table(found), *class_lines(item.classes for item in operators)]
    return page + "\n".join(["", *lines, ""]) if found else page


def _deprecated(signatures: Signatures) -> tuple[str, ...]:
    """The versions that ONNX's schemas call deprecated, with their domains."""
    return tuple(
        version_name(domain, name, item.since_version)
        for domain, name in signatures.operators()
        for item in signatures.versions(domain, name)
        if item.deprecated
    )


def operator_page(spec: Spec, planned: Sequence[Plan]) -> str:
    """The coverage of one operator as a Markdown page."""
    lines = [f"## {spec.operator}", "", "### Requirements", ""]
    lines += _requirement_table(spec, planned)
    lines += ["", "### Functions of the oracle", ""]
    lines += _oracle_table(spec, planned)
    if spec.second_sources:
        lines += ["", "### Second sources", "", *_second_source_table(spec.second_sources)]
    lines += ["", "### Vectors by version and element type", ""]
    lines += _cross_table(spec, planned, _types(spec), lambda plan: plan.type)
    lines += ["", "### Vectors by version and form", ""]
    lines += _cross_table(spec, planned, tuple(all_forms()), lambda plan: plan.form)
    return "\n".join(lines) + "\n"


def _in_words(item: Requirement) -> str:
    """The statement, and in italics why it has no case and what an erratum replaced."""
    notes = [item.uncovered, None if item.errata is None else f"Errata: {item.errata}"]
    return " ".join([item.text, *(f"*{note}*" for note in notes if note is not None)])


def _requirement_table(spec: Spec, planned: Sequence[Plan]) -> list[str]:
    vectors = Counter(item for plan in planned for item in plan.case.covers)
    rows = []
    for item in spec.requirements.values():
        versions = [number for number in spec.versions if item.holds_at(number)]
        rows.append(
            [
                f"`{item.id}`",
                _in_words(item),
                f"{item.document}, {item.part}",
                str(versions[0]) if len(versions) == 1 else f"{versions[0]} to {versions[-1]}",
                str(len(covering(spec, item))),
                str(vectors[item.id]),
            ]
        )
    return _table(["requirement", "in words", "source", "versions", "cases", "vectors"], rows)


def _oracle_table(spec: Spec, planned: Sequence[Plan]) -> list[str]:
    rows = [
        [
            f"`{item.name}`",
            ", ".join(map(str, item.versions)),
            ", ".join(f"`{name}` ({count})" for name, count in item.vectors.items()),
        ]
        for item in implemented(spec, planned)
    ]
    return _table(["function", "versions", "implements (vectors at these versions)"], rows)


def _second_source_table(sources: Sequence[SecondSource]) -> list[str]:
    rows = [
        [
            ", ".join(map(str, item.versions)),
            SECOND_SOURCE_KINDS[item.kind],
            item.text,
            f"`{item.held_by}`",
        ]
        for item in sources
    ]
    return _table(["versions", "what stands in for a runtime", "in words", "held by"], rows)


def _cross_table(
    spec: Spec,
    planned: Sequence[Plan],
    names: Iterable[str],
    key: _Key,
) -> list[str]:
    counts = Counter((plan.version.since_version, key(plan)) for plan in planned)
    rows = [
        [name, *(str(counts[number, name] or "·") for number in spec.versions)]
        for name in names
        if any(counts[number, name] for number in spec.versions)
    ]
    return _table(["", *(f"{spec.operator}-{number}" for number in spec.versions)], rows)


def _types(spec: Spec) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for version in spec.versions.values():
        variable = version.main_variable
        names.update(dict.fromkeys(version.types[variable] if variable else ()))
    return tuple(names)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return table(header, [[escaped(text) for text in row] for row in rows]).split("\n")
