"""The vectors of an operator, and what they say of mutants of which the history is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..interfaces import Answer
from ..mutants.mutant import Mutant
from ..records.history import History, Kills, vector_digest
from ..trying.judged_vectors import JudgedVectors
from ..trying.question import Question
from ..trying.requirements import AROUND
from ..trying.status import Finding, Status
from ..vectors import is_noticed

# How many vectors of a requirement are tried on how many mutants to see one kill, and how many
# functions the oracle may call for it; and where the requirement was seen to kill nothing.
_LONG, _SHORT = (60, 400, 3_000_000), (4, 60, 100_000)
_PATIENCE = 3.0
# How many mutants that nothing remembered kills are tried on all vectors, one or two of each call.
_MOST_LOST, _WITNESSES = 12, 2
_LIVING = (Status.SURVIVED, Status.EQUIVALENT)
# How many functions the oracle may call for all vectors that mutants of tables are tried on, but
# for those that killed others of them.
_OF_TABLES = 40_000_000


class Bench:
    """The vectors of an operator, and what they say of its mutants."""

    def __init__(
        self, evidence: JudgedVectors, mutants: Sequence[Mutant], questions: Sequence[Question]
    ) -> None:
        """`questions` are the calls of the vectors, for all of which a mutant may be tried."""
        self._evidence = evidence
        self._mutants = mutants
        self._questions = questions
        self._answers: dict[int, Answer | None] = {}
        self._patience: dict[str, float] = {}
        for question in questions:
            for identity in question.vectors:
                known = self._patience.get(identity, 0.0)
                self._patience[identity] = max(known, question.patience)
        self._ids: dict[str, list[str]] = {}
        for identity in evidence.by_id:
            self._ids.setdefault(vector_digest(identity), []).append(identity)

    def killed(self, kills: Kills) -> list[Finding | None] | None:
        """What becomes of those that were killed, and None for others.

        What nothing kills any more survived, as a vector told it apart; None where that are many.
        """
        found: list[Finding | None] = []
        most, lost = kills.most(), 0
        for index, mutant in enumerate(self._mutants):
            if kills.status(index) is not Status.KILLED:
                found.append(None)
                continue
            if self._answer(index) is None:
                found.append(Finding(mutant.name, Status.KILLED, "it does not even load"))
                continue
            first = kills.by(index)
            by = self._first(index, [first, *most] if first is not None else most)
            if by is None:
                lost += 1
                by = self._any(index) if lost <= _MOST_LOST else None
                if not self._questions or lost > _MOST_LOST:
                    return None
            if by is None:
                found.append(Finding(mutant.name, Status.SURVIVED, "a vector that is gone"))
            else:
                found.append(Finding(mutant.name, Status.KILLED, by, (self._case(by),)))
        return found

    def tables(self, findings: Sequence[Finding]) -> dict[int, Finding]:
        """Of the surviving mutants of tables, those that some vector kills after all.

        Those first that a call beyond the corpus tells apart; as far as can be afforded.
        """
        survived = [
            index
            for index, mutant in enumerate(self._mutants)
            if mutant.number >= 0 and not mutant.in_call and findings[index].status in _LIVING
        ]
        survived.sort(key=lambda index: _LIVING.index(findings[index].status))
        found: dict[int, Finding] = {}
        left = _OF_TABLES
        for index in survived:
            # What kills one entry of a table often kills its neighbours.
            by = self._first(index, (vector_digest(item.by) for item in found.values()))
            for question in self._questions if by is None else ():
                left -= question.effort
                if left < 0:
                    break
                by = self._one_of(index, question.vectors[:_WITNESSES])
                if by is not None:
                    break
            if by is not None:
                name = self._mutants[index].name
                found[index] = Finding(name, Status.KILLED, by, (self._case(by),))
        return found

    def show(
        self,
        found: list[Finding | None],
        covers: Mapping[str, Sequence[str]],
        history: History,
        *,
        hasten: bool,
    ) -> Iterator[tuple[int, str]]:
        """Add cases to what is found until each requirement is seen to kill, and say which.

        Args:
            found: what became of the mutants; those that were killed get further cases.
            covers: the requirements of the cases that matter.
            history: what added some last, and which requirements were seen to kill nothing.
            hasten: whether these are not tried once more.
        """
        left = {name for names in covers.values() for name in names} - {AROUND}
        left -= set(history.suspicious if hasten else ())
        for item in found:
            left -= {name for case in (item.cases if item else ()) for name in covers.get(case, ())}
        for index, vector in history.shown:
            if 0 <= index < len(found) and found[index] is not None:
                for identity in self._ids.get(vector, ()):
                    gained = left & set(covers.get(self._case(identity), ()))
                    if gained and self._kills(index, identity):
                        left -= gained
                        self._add(found, index, identity)
                        yield index, vector
        for name in sorted(left):
            if name not in left:
                continue
            effort = _SHORT if name in history.suspicious else _LONG
            pair = self._pair(name, found, covers, effort)
            if pair is not None:
                index, identity = pair
                left -= set(covers.get(self._case(identity), ()))
                self._add(found, index, identity)
                yield index, vector_digest(identity)

    def _pair(
        self,
        name: str,
        found: Sequence[Finding | None],
        covers: Mapping[str, Sequence[str]],
        effort: tuple[int, int, int],
    ) -> tuple[int, str] | None:
        """A mutant and a vector of a requirement that kills it; None where few tries find none."""
        most_vectors, most_mutants, most = effort
        tried, spent = 0, 0
        killed = [
            index
            for index, item in enumerate(found)
            if item is not None and item.status is Status.KILLED
        ]
        # What many vectors would kill is likely to be what the most telling vector kills.
        by = Counter(item.by for item in found if item is not None)
        killed.sort(key=lambda index: -by[getattr(found[index], "by", "")])
        for question in self._questions:
            concerned = [
                identity
                for identity in question.vectors
                if name in covers.get(self._case(identity), ())
            ]
            for identity in concerned[:1]:
                tried += 1
                for index in killed[:most_mutants]:
                    if self._kills(index, identity):
                        return index, identity
                    spent += question.effort
                    if spent > most:
                        return None
            if tried >= most_vectors:
                break
        return None

    def _add(self, found: list[Finding | None], index: int, identity: str) -> None:
        item = found[index]
        if item is not None:
            found[index] = replace(item, cases=tuple(sorted({*item.cases, self._case(identity)})))

    def _first(self, index: int, vectors: Iterable[str]) -> str | None:
        """The first of some vectors that kills a mutant."""
        for digest in dict.fromkeys(vectors):
            for identity in self._ids.get(digest, ()):
                if self._kills(index, identity):
                    return identity
        return None

    def _any(self, index: int) -> str | None:
        """The first vector of all that kills a mutant, of each call one or two."""
        found = (self._one_of(index, question.vectors[:_WITNESSES]) for question in self._questions)
        return next((identity for identity in found if identity is not None), None)

    def _one_of(self, index: int, vectors: Sequence[str]) -> str | None:
        """The first of some vectors that kills a mutant."""
        return next((identity for identity in vectors if self._kills(index, identity)), None)

    def _kills(self, index: int, identity: str) -> bool:
        answer = self._answer(index)
        if answer is None:
            return True
        seconds = self._patience.get(identity, _PATIENCE)
        judgement = self._evidence.verdict(identity, answer, seconds)
        return is_noticed(judgement)

    def _answer(self, index: int) -> Answer | None:
        """What a mutant answers with; None where it does not even load."""
        if index not in self._answers:
            try:
                self._answers[index] = self._mutants[index].make()
            except Exception:
                self._answers[index] = None
        return self._answers[index]

    def _case(self, identity: str) -> str:
        return self._evidence.by_id[identity].vector.case
