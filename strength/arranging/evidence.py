"""The vectors of an operator, read as they are needed, and the oracle's answers remembered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, Result, compute

from ..deadlines import deadline
from ..interfaces import Answer
from ..mutants.slips import tensors_of
from ..names import slug_of
from ..trying.judged_vectors import first_reading, key_of, observed
from ..vectors import (
    DEADLINE,
    Loaded,
    entries_of,
    is_noticed,
    is_of_sizes,
    judged,
    loaded_of,
)


@dataclass
class Remembered:
    """The oracle's answers to calls, worked out once: the same answer is the very same object."""

    known: dict[Any, Result] = field(default_factory=dict)

    def answer(self, call: Call) -> Result:
        """The oracle's answer; what it raises it raises again each time."""
        key = key_of(call)
        if key not in self.known:
            self.known[key] = compute(call)
        return self.known[key]


@dataclass(frozen=True)
class Asked:
    """A vector that was run with the oracle.

    Attributes:
        id: of the vector.
        loaded: its files.
        calls: what the operator is asked in it.
        remembered: the oracle's answers to these and to whatever is asked besides.
    """

    id: str
    loaded: Loaded
    calls: tuple[Call, ...]
    remembered: Remembered

    @property
    def elements(self) -> int:
        """How many elements its calls take."""
        return sum(elements_of(call) for call in self.calls)


def elements_of(call: Call) -> int:
    """How many elements the tensors among the inputs of a call have."""
    return sum(item.element_count for item in tensors_of(call))


class Evidence:
    """The vectors of an operator.

    Attributes:
        target: domain and operator.
        entries: the vectors that can tell, in the order in which they are asked: those of valid
            results in plain form, one of each case at the newest version first.
    """

    def __init__(self, folder: Path, domain: str, operator: str) -> None:
        """Look what vectors there are; none is read."""
        self.target = domain, operator
        found = [
            item
            for item in entries_of(folder).get(slug_of(domain, operator), ())
            if item.kind is not Kind.INVALID and not is_of_sizes(item)
        ]
        self.entries = _in_order(found)

    def asked(self, entry: Entry) -> Asked | None:
        """A vector run with the oracle; None where that is not right about it, or too slow."""
        loaded = loaded_of(entry)
        calls: list[Call] = []
        remembered = Remembered()

        def noting(call: Call) -> Result:
            calls.append(call)
            return remembered.answer(call)

        if self._notices(loaded, noting, DEADLINE) or not calls:
            return None
        # A question that the document leaves open is asked once for each of its readings.
        plain = [call for call in calls if not call.readings]
        return Asked(entry.id, loaded, tuple(plain), remembered)

    def notices(self, asked: Asked, answer: Answer, seconds: float) -> bool:
        """Whether a vector tells an answer from a right one."""
        return self._notices(asked.loaded, answer, seconds)

    def _notices(self, loaded: Loaded, answer: Answer, seconds: float) -> bool:
        return is_noticed(judged(loaded, observed(loaded, self.target, answer, seconds)))


def changes(asked: Asked, answer: Answer, seconds: float) -> bool:
    """Whether an answer to a call of a vector is another object than the oracle's, or none.

    A refusal of both is no change: the oracle refuses a call where that is its first reading.
    """
    for call in asked.calls:
        usual = _or_refusal(asked.remembered.answer, call)
        try:
            with deadline(seconds):
                if _or_refusal(answer, call) is not usual:
                    return True
        except Exception:
            return True
    return False


def _or_refusal(answer: Answer, call: Call) -> Result | None:
    """An answer under the first readings; None where the call is refused."""
    try:
        return first_reading(answer, call)
    except InvalidCallError:
        return None


def _in_order(entries: Sequence[Entry]) -> list[Entry]:
    """The first vector of each case before the second: newest versions and plain forms first."""
    ranked = sorted(entries, key=_rank)
    seen: dict[str, int] = {}
    turns = []
    for entry in ranked:
        case = entry.id.split("/")[1]
        seen[case] = seen.get(case, 0) + 1
        turns.append((entry.kind is not Kind.VALID, _is_other_form(entry), seen[case]))
    return [ranked[index] for index in sorted(range(len(ranked)), key=turns.__getitem__)]


def _rank(entry: Entry) -> tuple[bool, int, bool, str]:
    version = int(entry.operator_version.rpartition("-")[2])
    variant = entry.id.split("/")[2]
    return _is_other_form(entry), -version, "float32" not in variant.split("."), entry.id


def _is_other_form(entry: Entry) -> bool:
    """Whether a vector presents a case otherwise than plainly: its variant says so behind a dot."""
    return "." in entry.id.split("/")[2]


def in_turn(evidence: Evidence, entries: Sequence[Entry]) -> Iterator[Asked]:
    """Vectors that can be asked, read one after the other."""
    for entry in entries:
        asked = evidence.asked(entry)
        if asked is not None:
            yield asked
