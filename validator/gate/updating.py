"""Updates a baseline that people also edit.

The file is changed line by line, so that its comments, its order and every reason stay as their
author wrote them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.requirements import Requirements
from onnx_conformance.core.yaml.reading import parse_yaml

from ..judging.verdicts import Verdict
from ..profiles.claiming import vectors_claimed
from ..results.records import Row
from .about import About
from .editing import Change, edited_text
from .entries import Baseline, BaselineEntry, baseline_of, is_over_operators, unanswered
from .expectations import Expectations, entry_of_each
from .grouping import Grouper
from .heading import Heading
from .index import VectorIndex
from .made_with import Runtime
from .past import Past, withdrawn_in_words
from .specificity import claims_of, idle_passes
from .status import GREEN, Status, status_of
from .writing import EVERY_ID, new_entries, passing_entries, verify


@dataclass(frozen=True)
class Update:
    """A baseline after an update.

    Attributes:
        text: the file's new content.
        changes: one line for each change, for people; empty if nothing changed.
        unlisted: how many failures stay unexpected because new ones were not accepted.
        kept_runtime: why it still names another runtime or version; empty if it does not.
    """

    text: str
    changes: tuple[str, ...]
    unlisted: int = 0
    kept_runtime: str = ""


def update(  # noqa: PLR0913  what a change depends on
    text: str,
    file: str,
    rows: Sequence[Row],
    corpus: Mapping[str, Entry],
    *,
    included: tuple[Baseline, ...] = (),
    requirements: Requirements | None = None,
    ran: Runtime | None = None,
    about: About | None = None,
    accept_new: bool = False,
    remove_unmatched: bool = False,
    only: Collection[str] | None = None,
    past: Past | None = None,
) -> Update:
    """Remove stale entries from a baseline and, if `accept_new` is set, add new failures.

    Included baselines are never changed. If one disagrees with the results, accepting that adds an
    entry to the file itself, which may say that a vector passes.

    Args:
        text: the present text of the baseline.
        file: its path, for messages.
        rows: the verdicts of a run; entries of vectors that were not run stay.
        corpus: all vectors by id.
        included: the baselines that the file includes.
        requirements: the texts of the requirements covered, for the reasons of new entries.
        ran: the runtime that was run; the file's `runtime` is set to it if every listed vector was
            run and no failure stays unlisted.
        about: what the results are about, if they are whole; the file is made to say the same under
            the condition of `ran`, unless it is about another selection.
        accept_new: also list failures that are not listed, and those of another kind than listed.
        remove_unmatched: also remove entries that match no vector of the corpus.
        only: ids of the vectors whose verdicts may change an entry or add one; None for all.
        past: what the corpus held before; patterns that match nothing but that are removed.
    """
    document = parse_yaml(text, file)
    entries = baseline_of(document).entries
    index = VectorIndex(corpus)
    past = past or Past()
    gone = _unfit(entries, index, past, every=remove_unmatched)
    kept = tuple(
        replace(entry, patterns=tuple(item for item in entry.patterns if item not in gone))
        for entry in entries
    )
    kept = tuple(entry for entry in kept if entry.patterns)
    baseline = Baseline(file, kept, included)
    each = entry_of_each(baseline, index, past)
    expectations = Expectations(file, {item: at for item, at in each.items() if not at.passes})
    own = {entry.where: entry for entry in kept}
    written = {entry.where: entry for entry in entries}
    considered = [row for row in rows if only is None or row.id in only]
    seen = _seen(considered, each)
    grouper = Grouper(corpus, each)
    counting: dict[str, list[str]] = defaultdict(list)
    for vector_id, entry in each.items():
        counting[entry.where].append(vector_id)
    plans = [
        _plan(
            own[entry.where],
            entry,
            counting[entry.where],
            index,
            seen[entry.where],
            grouper,
            accept_new,
        )
        if entry.where in own
        else Change((), change=f"removed: {gone[entry.patterns[0]]}")
        for entry in entries
    ]
    plans = _without_idle_passes(entries, plans, included, index, past)
    added = _added(
        considered,
        replace(baseline, entries=tuple(_entries_after(entries, plans))),
        past,
        corpus,
        requirements or {},
        accept_new=accept_new,
    )
    edited = edited_text(text, document, entries, plans, added)
    expected = [
        after for entry, plan in zip(entries, plans, strict=True) for after in plan.of(entry)
    ]
    verify(edited, file, [*expected, *added])
    changes = [
        f"{entry.where}: {entry.named} {plan.change}"
        for entry, plan in zip(entries, plans, strict=True)
        if plan.change
    ]
    changes += [
        f"{entry.where}: {gone[pattern]}"
        for entry in own.values()
        for pattern in dict.fromkeys(written[entry.where].patterns)
        if pattern in gone and past.matching(pattern)
    ]
    changes += [f"added {entry.shown}: {' or '.join(entry.verdicts)}" for entry in added]
    unlisted = 0
    if not accept_new:
        unlisted = sum(_is_unlisted(row, expectations) for row in rows)
        unlisted += sum(
            status_of(row, each[row.id]) in (Status.STALE, Status.OTHER)
            for row in rows
            if row.id in each and each[row.id].where not in own
        )
    own_file = baseline_of(document)
    whole = replace(own_file, file=file, entries=kept, included=included)
    not_run = each.keys() - {row.id for row in rows}
    if about is not None and about.profile is not None:
        not_run &= vectors_claimed(about.profile, (corpus[item] for item in not_run))
    facts = Heading(whole, ran, about, len(not_run), unlisted)
    edited, said = facts.written(edited, file)
    verify(edited, file, [*expected, *added])
    return Update(edited, (*changes, *said), unlisted, facts.kept)


def _entries_after(
    entries: Sequence[BaselineEntry], plans: Sequence[Change]
) -> Iterator[BaselineEntry]:
    """The entries as they are after the changes to each, without new ones."""
    for entry, plan in zip(entries, plans, strict=True):
        if plan.patterns:
            verdicts = (plan.verdict,) if plan.verdict else entry.verdicts
            yield replace(entry, patterns=plan.patterns, verdicts=verdicts)


def _without_idle_passes(
    entries: Sequence[BaselineEntry],
    plans: Sequence[Change],
    included: tuple[Baseline, ...],
    index: VectorIndex,
    past: Past,
) -> list[Change]:
    """The changes, with patterns removed that say `pass` where nothing else lists them any more."""
    listed = entry_of_each(Baseline("", (), included), index, replace(past, met=[]))
    claims = claims_of(_entries_after(entries, plans), index)
    idle = {(claim.entry.where, claim.pattern) for claim in idle_passes(claims, listed)}
    found = []
    for entry, plan in zip(entries, plans, strict=True):
        gone = [item for item in plan.patterns if (entry.where, item) in idle]
        if not gone:
            found.append(plan)
            continue
        parts = tuple(tuple(item for item in part if item not in gone) for part in plan.parts)
        why = "removed" if not any(parts) else f"without '{gone[0]}'"
        found.append(Change(parts, change=f"{why}: that vectors pass is expected of them anyway"))
    return found


def _added(  # noqa: PLR0913  what is new depends on
    rows: Sequence[Row],
    after: Baseline,
    past: Past,
    corpus: Mapping[str, Entry],
    requirements: Requirements,
    *,
    accept_new: bool,
) -> list[BaselineEntry]:
    """Entries for what is still not as listed after the changes to the entries there are.

    A pattern of a new entry stays within the vectors of one entry, to which it is the exception, or
    within those of none: so it is more specific than that one, and crosses no other.
    """
    past = replace(past, met=[])  # what is met here has been met before
    each = entry_of_each(after, VectorIndex(corpus), past, lenient=True)
    own = {entry.where for entry in after.entries}
    failing: dict[str, list[Row]] = defaultdict(list)
    passing: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        entry = each.get(row.id)
        where = entry.where if entry else ""
        status = status_of(row, entry)
        if entry is None:
            if accept_new and status not in GREEN:
                failing[where].append(row)
        elif status is Status.STALE and (accept_new or where in own):
            passing[where].append(row)
        elif status is Status.OTHER and accept_new and not (entry.flaky and where in own):
            failing[where].append(row)
    added = [
        entry for found in failing.values() for entry in new_entries(found, corpus, requirements)
    ]
    return [
        *added,
        *(entry for found in passing.values() for entry in passing_entries(found, corpus)),
    ]


def _is_unlisted(row: Row, expectations: Expectations) -> bool:
    """Whether a failure has no entry, or one with another verdict; bad vectors are never listed."""
    listable = row.verdict != Verdict.BAD_VECTOR
    return listable and status_of(row, expectations.of.get(row.id)) is Status.UNEXPECTED


def _unfit(
    entries: Iterable[BaselineEntry], index: VectorIndex, past: Past, *, every: bool
) -> dict[str, str]:
    """Why each pattern that matches nothing is removed: all of them, or those of the past alone."""
    found = {}
    for entry in entries:
        for pattern in entry.patterns:
            if not index.of_kind(pattern, entry.kind):
                gone = past.matching(pattern)
                if gone:
                    found[pattern] = withdrawn_in_words(gone)
                elif every:
                    found[pattern] = "it matches no vector of this corpus"
    return found


def _seen(
    rows: Sequence[Row], each: Mapping[str, BaselineEntry]
) -> dict[str, dict[Status, dict[str, str]]]:
    """The results for the vectors of each entry: place of the entry -> status -> id -> verdict."""
    seen: dict[str, dict[Status, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        entry = each.get(row.id)
        if entry is not None:
            seen[entry.where][status_of(row, entry)][row.id] = row.verdict
    return seen


# --- what becomes of an entry --------------------------------------------------------------


def _is_default(entry: BaselineEntry, counting: Sequence[str], index: VectorIndex) -> bool:
    """Whether others are exceptions to an entry, or it is for everything, or says `pass`.

    `counting` are the vectors for which it counts: no entry is more specific.
    """
    found = (index.of_kind(pattern, entry.kind) for pattern in entry.patterns)
    fits = {item for ids in found for item in ids}
    return EVERY_ID in entry.patterns or entry.passes or len(counting) < len(fits)


def _plan(  # noqa: PLR0913, PLR0917  what a change depends on
    entry: BaselineEntry,
    written: BaselineEntry,
    listed: Sequence[str],
    index: VectorIndex,
    seen: Mapping[Status, Mapping[str, str]],
    grouper: Grouper,
    accept_new: bool,  # noqa: FBT001  handed down from a keyword
) -> Change:
    """The change to an entry.

    `written` is the same with the patterns that match nothing, `listed` are the vectors for which
    it counts.
    """
    stale = seen.get(Status.STALE, {})
    # Only a person can decide what else a flaky vector may do.
    other = seen.get(Status.OTHER, {}) if accept_new and not entry.flaky else {}
    kept = {item for item in listed if item not in stale and item not in other}
    lost = len(written.patterns) - len(entry.patterns)
    unfit = f"{lost} of its patterns match no vector of this corpus" if lost else ""
    parts: tuple[tuple[str, ...], ...] = tuple(
        (pattern,) if pattern in entry.patterns else () for pattern in written.patterns
    )
    if len(kept) == len(listed):
        return Change(parts, change=unfit and f"narrowed: {unfit}")
    verdicts = set(other.values())
    narrow = unanswered(verdicts) and any(map(is_over_operators, entry.patterns))
    if len(other) == len(listed) and len(verdicts) == 1 and not (narrow or entry.passes):
        new = verdicts.pop()
        return Change(parts, new, change=f"is {new} now, was {entry.listed}")
    why = " and ".join(
        f"{len(ids)} {text}"
        for ids, text in ((stale, "no longer fail"), (other, "fail in another way"))
        if ids
    )
    if not kept:
        return Change(tuple(() for _ in parts), change=f"removed: {why}")
    if _is_default(entry, listed, index):
        return Change(parts, change=unfit and f"narrowed: {unfit}")  # the others are exceptions
    narrowed: list[tuple[str, ...]] = []
    covered: set[str] = set()
    for part in parts:
        found = index.of_kind(part[0], entry.kind) if part else ()
        if not set(found) <= kept:
            # The lines of the entry are kept: a pattern is limited to a kind only if it was before.
            rest = [item for item in found if item in kept and item not in covered]
            groups = grouper.group(
                dict.fromkeys(rest, entry.verdicts[0]), by_kind=entry.kind is not None
            )
            part = tuple(group.pattern for group in groups)  # noqa: PLW2901  what takes its place
        covered.update(item for item in found if item in kept)
        narrowed.append(part)
    return Change(
        tuple(narrowed),
        change=f"narrowed from {len(listed)} vectors to {len(kept)}: {why}",
    )
