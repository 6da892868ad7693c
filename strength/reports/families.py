"""`python -m strength families`: the vectors of each family of cases that no mutant misses.

It measures nothing. `history.json` has for each mutant that is killed one vector that kills it; all
other vectors of the operator could be taken away together, and every mutant would still die. That
says where a family repeats itself, not that each such vector is one too many: many are there for
what is wrong around operators (forms, versions), which no mutant of an operator is.

Which cases kill a mutant that no other case kills is not remembered: `run --cases --json FILE`
finds it out for some operators.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import Spec

from ..names import name_of
from ..records.history import read_history, vector_digest

WRITTEN = "written"
# A case that the corpus has and the specs have not.
UNKNOWN = "in no spec"
_SHOWN = 10


@dataclass(frozen=True)
class Subject:
    """What is known of the vectors of one operator.

    Attributes:
        name: of the operator.
        families: for each of its cases, the family that made it.
        vectors: their ids.
        killers: digests of vectors of which each mutant that dies is killed by one; None where that
            is not remembered, or not of these vectors.
        alone: the cases that kill a mutant that no other case does; None where it is not known.
    """

    name: str
    families: Mapping[str, str]
    vectors: tuple[str, ...]
    killers: frozenset[str] | None
    alone: frozenset[str] | None = None


@dataclass
class Family:
    """The vectors of one family; all but `everywhere` are of operators of remembered kills.

    Attributes:
        name: of the family; `written` for the cases that are written out.
        operators: that have cases of it.
        counts: how many vectors it has `everywhere`, those of operators that are left out included,
            and how many `vectors`, of which how many are `killers`; how many `cases`, each counted
            for its operator, how many of these are `idle`, with no such vector, are `told` to
            kill alone or not, and do so `alone`.
    """

    name: str
    operators: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def unnoticed(self) -> int:
        """How many vectors may go together without any mutant survived."""
        return self.counts["vectors"] - self.counts["killers"]

    @property
    def share(self) -> float:
        """The same, of all."""
        vectors = self.counts["vectors"]
        return self.unnoticed / vectors if vectors else 0.0


@dataclass(frozen=True)
class Counted:
    """The families, worst first, and of what operators they are counted.

    Attributes:
        families: each with its numbers.
        operators: how many were counted.
        forgotten: those with vectors of which no kill is remembered.
        changed: those whose remembered kills are by vectors that are gone.
        alone: how many operators it is known of which cases kill alone.
    """

    families: tuple[Family, ...]
    operators: int
    forgotten: tuple[str, ...]
    changed: tuple[str, ...]
    alone: int


def count_families(vectors: Path, specs: Path, kills: Sequence[Path] = ()) -> Counted:
    """Count the vectors of a corpus by what is remembered of them.

    Args:
        vectors: the folder that has them.
        specs: the folder of specs that they were made from.
        kills: files that `run --cases --json` wrote.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    for identity in open_corpus(vectors).entries:
        ids[identity.partition("/")[0].rpartition("-")[0]].append(identity)
    histories = read_history()
    alone = {name: cases for path in kills for name, cases in alone_in(path).items()}
    subjects, changed = [], []
    for spec in read_specs(specs)[1]:
        name = name_of(spec.domain, spec.operator)
        found = tuple(ids.get(spec.slug, ()))
        history = histories.get(name)
        killers = None if history is None else frozenset(history.ours.vectors)
        if killers is not None and not killers <= set(map(vector_digest, found)):
            killers = None
            changed.append(name)
        subjects.append(Subject(name, families_of(spec), found, killers, alone.get(name)))
    if not any(item.killers is not None and item.vectors for item in subjects):
        raise IncompleteError(f"{vectors} has no vector of an operator whose kills are remembered")
    return count(subjects, changed)


def families_of(spec: Spec) -> dict[str, str]:
    """For each case of a spec, the family that made it."""
    return {case.id: case.family or WRITTEN for case in spec.cases.values()}


def alone_in(path: Path) -> dict[str, frozenset[str]]:
    """By operator, the cases that alone kill a mutant, in what `run --cases --json` wrote."""
    try:
        found = {
            item["operator"]: [tuple(mutant["cases"]) for mutant in item["mutants"]]
            for item in json.loads(path.read_text(encoding="utf-8"))
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{path}: not what `run --cases --json` writes: {error}") from None
    if not any(len(cases) > 1 for kills in found.values() for cases in kills):
        raise BadInputError(f"{path}: has one killer of each mutant: was it run with --cases?")
    return {
        name: frozenset(cases[0] for cases in kills if len(cases) == 1)
        for name, kills in found.items()
    }


def count(subjects: Iterable[Subject], changed: Sequence[str] = ()) -> Counted:
    """Count by family what no mutant misses, of the operators whose kills are remembered."""
    families: dict[str, Family] = {}
    forgotten: list[str] = []
    operators = told = 0
    for subject in subjects:
        if not subject.vectors:
            continue
        _add(families, subject)
        if subject.killers is not None:
            operators += 1
            told += subject.alone is not None
        elif subject.name not in changed:
            forgotten.append(subject.name)
    ordered = sorted(
        families.values(), key=lambda item: (-item.share, -item.counts["vectors"], item.name)
    )
    return Counted(tuple(ordered), operators, tuple(forgotten), tuple(changed), told)


def _add(families: dict[str, Family], subject: Subject) -> None:
    """Add the vectors of an operator to their families."""
    by_case: dict[str, list[str]] = defaultdict(list)
    for identity in subject.vectors:
        by_case[identity.split("/")[1]].append(identity)
    for case, vectors in by_case.items():
        name = subject.families.get(case, UNKNOWN)
        family = families.setdefault(name, Family(name))
        family.counts["everywhere"] += len(vectors)
        if subject.killers is None:
            continue
        needed = sum(vector_digest(identity) in subject.killers for identity in vectors)
        family.operators.add(subject.name)
        told = subject.alone is not None
        alone = case in (subject.alone or ())
        family.counts.update(
            cases=1, vectors=len(vectors), killers=needed, idle=not needed, told=told, alone=alone
        )


_HEADING = (
    "family",
    "everywhere",
    "operators",
    "cases",
    "vectors",
    "kill",
    "noticed by none",
    "share",
    "idle cases",
    "kill alone",
)


def told(counted: Counted) -> Iterator[str]:
    """The table, worst first, and what it is about."""
    rows = [_HEADING, *map(_row, counted.families), _row(_total(counted.families))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])
    yield ""
    all_of = counted.operators + len(counted.forgotten) + len(counted.changed)
    yield f"Of {counted.operators} of {all_of} operators with vectors; left out:"
    yield f"  {_named(counted.changed)} whose remembered kills are by vectors that are gone"
    yield f"  {_named(counted.forgotten)} of which no kills are remembered"
    yield "everywhere: vectors of all of them, those that are left out included;"
    yield "kill: each mutant that dies is killed by one of these (history.json);"
    yield "noticed by none: without all of these together each of them still dies;"
    yield "idle cases: have no vector that kills; faults around operators are not counted here."
    if counted.alone:
        yield f"kill alone: of cases of {counted.alone} operators whose kills are all known."
    else:
        yield "kill alone: known of 0 operators; `run --cases --json FILE` and --kills FILE tell."


def _row(family: Family) -> tuple[str, ...]:
    counts = family.counts
    alone = f"{counts['alone']} of {counts['told']}" if counts["told"] else "·"
    return (
        family.name,
        f"{counts['everywhere']:,}",
        str(len(family.operators)),
        f"{counts['cases']:,}",
        f"{counts['vectors']:,}",
        f"{counts['killers']:,}",
        f"{family.unnoticed:,}",
        f"{100 * family.share:.1f} %" if counts["vectors"] else "·",
        f"{counts['idle']:,}",
        alone,
    )


def _total(families: Sequence[Family]) -> Family:
    total = Family("all")
    for item in families:
        total.operators |= item.operators
        total.counts += item.counts
    return total


def _named(names: Sequence[str]) -> str:
    """How many, and which."""
    if not names:
        return "none"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} ({', '.join(names[:_SHOWN])}{more})"
