"""Which entry of a baseline is for which vector of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import Withdrawn
from onnx_conformance.core.errors import BadInputError

from ..judging.verdicts import LOST_VERDICTS, Verdict
from ..results.records import Row
from .about import About
from .entries import Baseline, BaselineEntry
from .index import VectorIndex
from .made_with import Runtime
from .past import Past, newer_than, withdrawn_in_words
from .specificity import claims_of, most_specific, require_effect, second_entry
from .status import GREEN, Status, status_of

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


@dataclass(frozen=True)
class Expectations:
    """A baseline applied to the ids of a corpus.

    Attributes:
        file: path of the baseline, as messages show it; None if there is none.
        of: the entry of each vector that has one.
        made_with: the runtime that it was made with, if it says so.
        about: the corpus, the selection and the number of passes, as far as it says so.
        newer: the release of each vector that is newer than that corpus, by id.
        withdrawn: the entries that list nothing but vectors that are withdrawn by now, in words.
    """

    file: str | None
    of: Mapping[str, BaselineEntry]
    made_with: Runtime | None = None
    about: About = field(default_factory=About)
    newer: Mapping[str, str] = field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()

    def status(self, row: Row) -> Status:
        """What the verdict on a vector means to the gate."""
        found = status_of(row, self.of.get(row.id))
        if found in GREEN or row.id not in self.newer or row.verdict == Verdict.BAD_VECTOR:
            return found
        return Status.NEW

    def lists(self, vector_id: str, verdict: str) -> bool:
        """Whether the baseline lists this verdict for the vector."""
        entry = self.of.get(vector_id)
        return entry is not None and verdict in entry.verdicts

    @property
    def losses(self) -> frozenset[str]:
        """Ids of vectors that are listed with verdicts such as crashed or timed out: no answer."""
        lost = {verdict.value for verdict in LOST_VERDICTS}
        return frozenset(
            vector_id for vector_id, entry in self.of.items() if not lost.isdisjoint(entry.verdicts)
        )


NO_EXPECTATIONS = Expectations(None, {})


def expectations_of(
    baseline: Baseline,
    corpus: Mapping[str, Entry],
    withdrawn: Mapping[str, Withdrawn] | None = None,
    *,
    strict_new: bool = False,
) -> Expectations:
    """Find each entry's vectors among all of the corpus, by id, before anything is run.

    Args:
        baseline: the baseline.
        corpus: all vectors by id.
        withdrawn: what the corpus held before, by id.
        strict_new: whether vectors that are newer than the baseline's corpus are judged as others.

    Raises BadInputError if an entry matches no vector, or if two fit a vector and neither is more
    specific. An entry about vectors that were withdrawn after the baseline was made is none of
    these.
    """
    past = Past(withdrawn or {}, baseline.about.corpus)
    found = entry_of_each(baseline, VectorIndex(corpus), past)
    return Expectations(
        baseline.file,
        {item: entry for item, entry in found.items() if not entry.passes},
        baseline.made_with,
        baseline.about,
        {} if strict_new else newer_than(baseline.about.corpus, corpus),
        tuple(past.met),
    )


def entry_of_each(
    baseline: Baseline, index: VectorIndex, past: Past | None = None, *, lenient: bool = False
) -> dict[str, BaselineEntry]:
    """The entry of each vector: the baseline's own, else that of an included baseline.

    Of several that fit a vector the most specific counts: the one all of whose vectors the others
    fit as well. Entries that say that a vector passes are included; `expectations_of` leaves them
    out. Raises BadInputError as `expectations_of` does; if `lenient`, not for entries that have no
    effect, as while a baseline is being changed.
    """
    past = past or Past()
    known_of: dict[int, dict[str, BaselineEntry]] = {}  # several may include one

    def of(baseline: Baseline, *, lenient: bool) -> dict[str, BaselineEntry]:
        if id(baseline) in known_of:
            return known_of[id(baseline)]
        listed: dict[str, BaselineEntry] = {}
        for other in baseline.included:
            for vector_id, entry in of(other, lenient=False).items():
                known = listed.setdefault(vector_id, entry)
                if known.where != entry.where:
                    raise second_entry(entry, vector_id, known)
        for entry in baseline.entries:
            for pattern in entry.patterns:
                _require_some(entry, pattern, index, past)
        claims = claims_of(baseline.entries, index)
        found = most_specific(claims)
        if not lenient:
            require_effect(claims, found, listed)
        known_of[id(baseline)] = every = {**listed, **found}
        return every

    return of(baseline, lenient=lenient)


def _require_some(entry: BaselineEntry, pattern: str, index: VectorIndex, past: Past) -> None:
    """Raise BadInputError if a pattern matches no vector, and none that was just withdrawn."""
    if index.of_kind(pattern, entry.kind) or past.excuses(entry, pattern):
        return
    gone = past.matching(pattern)
    if gone:
        raise BadInputError(
            f"{entry.where}: {withdrawn_in_words(gone)}; `onnx-validate baseline roll` removes it"
        )
    what = f"{entry.kind} vector" if entry.kind else "vector"
    why = "" if index.matching(pattern) else f": {index.explain(pattern)}"
    raise BadInputError(f"{entry.where}: '{pattern}' matches no {what} of this corpus{why}")
