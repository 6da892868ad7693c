"""The open questions of the specs, each beside what runtimes make of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.errors import UsageError
from onnx_conformance.core.witnesses.ledger import Engine
from onnx_conformance.core.witnesses.readings import NONE_OF_THESE, Asked, OpenLedger

from ..specs.reading import OTHER_FILES
from ..specs.statements import OpenQuestion
from ..specs.statements_reading import questions_of_file


@dataclass(frozen=True)
class Open:
    """A question that a document leaves open.

    Attributes:
        operator: its operator, after its domain if that is not the default one.
        slug: the same as in ids.
        question: what is open, and how it can be read.
        asked: what vectors ask of it; None if none does.
        runtimes: those that answered, with their readings.
    """

    operator: str
    slug: str
    question: OpenQuestion
    asked: Asked | None
    runtimes: tuple[tuple[Engine, Mapping[str, int]], ...]

    @property
    def differing(self) -> int:
        """How many runtimes mostly take another reading than most runtimes do.

        One that takes none of them, as its results are wrong by each, is not counted.
        """
        mostly = Counter(filter(None, (_mostly(taken) for _, taken in self.runtimes)))
        return mostly.total() - max(mostly.values(), default=0)


def _mostly(taken: Mapping[str, int]) -> str | None:
    """The reading that a runtime takes most often; of two the first by name; None for none."""
    readings = sorted(name for name in taken if name != NONE_OF_THESE)
    return max(readings, key=taken.__getitem__, default=None)


def open_questions(specs: Path, ledger: OpenLedger, operator: str | None = None) -> list[Open]:
    """The questions of one operator or of all, those first on which most runtimes differ.

    Raises UsageError, with similar names, for an operator that no spec is of.
    """
    found = [
        _joined(name, path.stem, question, ledger)
        for path in _files(specs, operator)
        for name, questions in [questions_of_file(path)]
        for question in questions.values()
    ]
    return sorted(
        found,
        key=lambda item: (-item.differing, -len(item.runtimes), item.slug, item.question.id),
    )


def spec_of(specs: Path, operator: str) -> tuple[str, str]:
    """The operator that a user names, with its domain, and as in ids.

    Raises UsageError, with similar names, if no spec is of it.
    """
    path = _files(specs, operator)[0]
    return questions_of_file(path)[0], path.stem


def _files(specs: Path, operator: str | None) -> list[Path]:
    from onnx_conformance.core.corpus.patterns import near

    paths = [path for path in sorted(specs.glob("*.yaml")) if path.name not in OTHER_FILES]
    if operator is None:
        return paths
    wanted = operator.lower()
    own = [path for path in paths if path.stem == wanted or path.stem.endswith(f".{wanted}")]
    if not own:
        names = near(wanted, (path.stem for path in paths))
        raise UsageError(f"{specs}: no spec is of '{operator}'{names}")
    return own[:1]


def _joined(operator: str, slug: str, question: OpenQuestion, ledger: OpenLedger) -> Open:
    asked = ledger.questions.get(slug, {}).get(question.id)
    answered = (
        ()
        if asked is None
        else tuple(
            (engine, taken)
            for engine, taken in zip(ledger.runtimes, asked.taken, strict=True)
            if taken
        )
    )
    return Open(operator, slug, question, asked, answered)
