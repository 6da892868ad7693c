"""Which vectors of a corpus a profile claims, and the facts of that for the header of results."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.corpus.corpus import Corpus, Entry, read_metadata
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.text import one_line, quantity

from .needs import Needs, needs_of
from .profile import WORDS, Profile, Reason
from .writing import to_json

_NAMED = 5  # names that a sentence lists


@dataclass(frozen=True)
class Claimed:
    """A profile, and what it makes of a selection.

    Attributes:
        profile: what is claimed.
        origin: where the profile is from: `its handshake`, or the path or name that was given.
        entries: the selected vectors that are claimed, in order.
        not_claimed: how many are not, by reason.
        operators: how many operators of the corpus have claimed vectors in the selection.
        unknown: sentences about names in the profile that the corpus does not have.
    """

    profile: Profile
    origin: str
    entries: tuple[Entry, ...]
    not_claimed: Mapping[Reason, int]
    operators: int
    unknown: tuple[str, ...] = ()

    @property
    def left_out(self) -> int:
        """How many selected vectors are not claimed."""
        return sum(self.not_claimed.values())

    def to_json(self, *, everything: bool) -> dict[str, Any]:
        """The facts for the header of a results file; `everything`: unclaimed ones are run too."""
        return {
            "claims": to_json(self.profile),
            "from": self.origin,
            "operators": self.operators,
            "claimed": len(self.entries),
            "not_claimed": {reason.value: count for reason, count in self.not_claimed.items()},
            "everything_is_run": everything,
            "unknown": list(self.unknown),
        }


def claimed_of(profile: Profile, origin: str, corpus: Corpus, selected: Sequence[Entry]) -> Claimed:
    """Split the selected vectors of a corpus.

    What cannot be read well enough to know what it needs counts as claimed: its verdict is
    `bad-vector`, and no run hides it.
    """
    entries = []
    operators = set()
    reasons: Counter[Reason] = Counter()
    for entry in selected:
        needs = needs_of_entry(entry)
        reason = None if needs is None else profile.why_not(needs)
        if reason is not None:
            reasons[reason] += 1
            continue
        entries.append(entry)
        if needs is not None:
            operators.add(needs.key)
    ordered = {reason: reasons[reason] for reason in Reason if reasons[reason]}
    unknown = _unknown_names(profile, corpus)
    return Claimed(profile, origin, tuple(entries), ordered, len(operators), unknown)


def require_any(claimed: Claimed, runs_all: str = "--all") -> None:
    """Raise IncompleteError if a profile claims none of the selected vectors.

    `runs_all` is what runs them all the same, in words.
    """
    if not claimed.entries:
        more = "; ".join(("", *claimed.unknown))
        selected = quantity(claimed.left_out, "selected vector")
        raise IncompleteError(
            f"the profile ({claimed.origin}) claims none of {selected}:"
            f" {reasons_in_words(claimed.not_claimed)}; {runs_all} runs what is not"
            f" claimed{more}"
        )


def reasons_in_words(not_claimed: Mapping[Any, int]) -> str:
    """`38,000 of other operators, 120 of other element types`, the most frequent first."""
    ordered = sorted(not_claimed.items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} {WORDS[Reason(reason)]}" for reason, count in ordered)


def needs_of_entry(entry: Entry) -> Needs | None:
    """What a vector needs: from the manifest, or else from its own metadata; None if unreadable."""
    if entry.facts is not None:
        return needs_of(entry.facts)
    try:
        return needs_of(read_metadata(entry))
    except (BadInputError, OSError):
        return None


def _unknown_names(profile: Profile, corpus: Corpus) -> tuple[str, ...]:
    """Sentences about operators and versions that a profile names and the corpus does not have.

    Only a corpus with facts in its manifest is asked; a profile may name more than a corpus has,
    so this is no error, but a misspelt name claims nothing.
    """
    known: dict[str, tuple[str, set[int]]] = {}
    for entry in corpus.entries.values():
        if entry.facts is None:
            return ()
        needs = needs_of(entry.facts)
        known.setdefault(needs.key, (needs.operator, set()))[1].add(needs.since_version)
    found = []
    for key, claim in (profile.operators or {}).items():
        name = one_line(claim.name, 80)
        if key not in known:
            found.append(_unknown(name, {key: spelled for key, (spelled, _) in known.items()}))
            continue
        others = sorted(set(claim.versions or ()) - known[key][1])
        if others:
            versions = ", ".join(map(str, others))
            there = ", ".join(map(str, sorted(known[key][1])))
            found.append(f"{name} has no version {versions}; the corpus has {there}")
    if len(found) > _NAMED:
        found[_NAMED:] = [f"and {len(found) - _NAMED} more"]
    return tuple(found)


def _unknown(name: str, known: Mapping[str, str]) -> str:
    close = difflib.get_close_matches(name.lower(), known, n=1)
    guess = f"; did you mean {known[close[0]]}?" if close else ""
    return f"the corpus has no operator {name}{guess}"


def vectors_claimed(profile: Profile, entries: Iterable[Entry]) -> frozenset[str]:
    """Ids of the vectors that a profile claims, of those whose needs are known."""
    return frozenset(
        entry.id
        for entry in entries
        if (needs := needs_of_entry(entry)) is not None and profile.why_not(needs) is None
    )
