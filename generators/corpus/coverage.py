"""Which requirement is exercised by which case, and which version, type and form by how many.

A gap is a requirement without a case at a version at which it holds, or an element type, a version
or an attribute that no vector has. `onnx-vectors check` fails on any.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..forms import all_forms
from ..situations.expansion import versions_of
from ..specs.model import main_variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..situations.expansion import Plan
    from ..specs.model import Requirement, Spec
    from .making import CorpusPlan


def gaps(corpus: CorpusPlan) -> Iterator[str]:
    """A line for each thing that the specs promise and no vector shows."""
    for spec in corpus.specs:
        planned = [plan for plan in corpus.plans if plan.spec.operator == spec.operator]
        for requirement in spec.requirements.values():
            yield from _requirement_gaps(spec, requirement)
        yield from _table_gaps(spec, planned)
        yield from _case_gaps(spec, planned)


def _requirement_gaps(spec: Spec, requirement: Requirement) -> Iterator[str]:
    cases = covering(spec, requirement)
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
        if requirement.holds_at(number) and not any(
            version in versions_of(spec, spec.cases[case]) for case in cases
        ):
            yield f"{where} has no case that holds at version {number}"


def _table_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    seen = {(plan.version.since_version, plan.type) for plan in planned if plan.kind == "valid"}
    attributes = {
        (plan.version.since_version, attribute.name)
        for plan in planned
        for attribute in plan.case.attributes
    } | {
        (plan.version.since_version, name)
        for plan in planned
        for name in plan.case.examples[0].inputs
    }
    for number, version in spec.versions.items():
        variable = main_variable(version)
        for type_name in version.types[variable] if variable else ():
            if (number, type_name) not in seen:
                yield f"{spec.path}: {spec.operator}-{number} has no valid vector of {type_name}"
        for attribute in version.attributes:
            if (number, attribute) not in attributes:
                yield f"{spec.path}: {spec.operator}-{number} has no vector with '{attribute}'"


def _case_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """Forms and types that a case asks for and that suit it nowhere."""
    shown = {(plan.case.id, plan.form) for plan in planned}
    shown |= {(plan.case.id, plan.type) for plan in planned}
    for case in spec.cases.values():
        types = case.types if case.types and "types" in case.sweep else ()
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
    " requirement has no case."
)


def markdown(corpus: CorpusPlan) -> str:
    """The coverage of a corpus as a Markdown page."""
    lines = [
        "# Coverage",
        "",
        _ABOUT,
        "",
        *_summary(corpus),
    ]
    for spec in corpus.specs:
        planned = [plan for plan in corpus.plans if plan.spec.operator == spec.operator]
        lines += ["", f"## {spec.operator}", "", "### Requirements", ""]
        lines += _requirement_table(spec, planned)
        lines += ["", "### Vectors by version and element type", ""]
        lines += _cross_table(spec, planned, _types(spec), lambda plan: plan.type)
        lines += ["", "### Vectors by version and form", ""]
        lines += _cross_table(spec, planned, tuple(all_forms()), lambda plan: plan.form)
    return "\n".join(lines) + "\n"


def _summary(corpus: CorpusPlan) -> list[str]:
    rows = []
    for spec in corpus.specs:
        kinds = Counter(plan.kind for plan in corpus.plans if plan.spec.operator == spec.operator)
        rows.append(
            [
                spec.operator,
                str(len(spec.versions)),
                str(len(spec.requirements)),
                str(len(spec.cases)),
                *(str(kinds[kind]) for kind in ("valid", "invalid", "latitude")),
                str(kinds.total()),
            ]
        )
    total = [str(sum(int(row[index]) for row in rows)) for index in range(1, 8)]
    header = ["operator", "versions", "requirements", "cases", "valid", "invalid", "latitude"]
    return _table([*header, "vectors"], [*rows, ["**all**", *total]])


def _requirement_table(spec: Spec, planned: Sequence[Plan]) -> list[str]:
    vectors = Counter(item for plan in planned for item in plan.case.covers)
    rows = []
    for item in spec.requirements.values():
        versions = [number for number in spec.versions if item.holds_at(number)]
        rows.append(
            [
                f"`{item.id}`",
                item.text if item.uncovered is None else f"{item.text} *{item.uncovered}*",
                f"{item.document}, {item.part}",
                str(versions[0]) if len(versions) == 1 else f"{versions[0]} to {versions[-1]}",
                str(len(covering(spec, item))),
                str(vectors[item.id]),
            ]
        )
    return _table(["requirement", "in words", "source", "versions", "cases", "vectors"], rows)


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
        variable = main_variable(version)
        names.update(dict.fromkeys(version.types[variable] if variable else ()))
    return tuple(names)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    _Key: TypeAlias = Callable[[Plan], str]
