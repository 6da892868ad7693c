"""What `check` says of a corpus that was made anew, beside its lock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.patterns import IdIndex

from ...specs.rulings import taken_by, without_effect
from .proving import ADMIT, History, head_problems, lock_problems

if TYPE_CHECKING:
    from .proposals import Proposal


def problems(
    history: History,
    differing: Iterable[Listed],
    lost: Iterable[str],
    proposals: Sequence[Proposal],
) -> Iterator[str]:
    """A line for each thing that the lock and what was made do not agree on.

    Args:
        history: the lock, and what explains it.
        differing: vectors that come out otherwise than they are listed.
        lost: a line for each vector that is listed and that no spec has; it begins with the id.
        proposals: what the rules propose beyond the lock.
    """
    yield from head_problems(history)
    yield from lock_problems(history)
    for text in lost:
        yield f"{history.place(text.partition(':')[0])}: {text}"
    ruled = [item for item in history.rulings.corrected if item.release == history.facts.version]
    index = IdIndex(history.lines)
    expected = {name for item in ruled for pattern in item.ids for name in index.matching(pattern)}
    for line in differing:
        yield f"{history.place(line.id)}: {line.id} {_what_to_do(history, line, expected)}"
    yield from _proposal_problems(history, proposals)


def _what_to_do(history: History, line: Listed, expected: set[str]) -> str:
    found = f"comes out with digest {line.digest[:12]}…"
    if line.id in expected:
        return f"{found}, as was ruled; {ADMIT} takes it"
    if not history.is_released(history.lines[line.id]):
        return f"{found}, and is in no release yet; {ADMIT} takes it"
    return f"{found}, and no ruling of {history.facts.version} corrects it"


def _proposal_problems(history: History, proposals: Sequence[Proposal]) -> Iterator[str]:
    """A line for each operator version with proposals that were neither admitted nor declined."""
    declined = taken_by(history.rulings.declined, [item.id for item in proposals])
    left: dict[str, list[Proposal]] = {}
    for item in proposals:
        if item.id not in declined:
            left.setdefault(item.id.split("/", 1)[0], []).append(item)
    for name, items in left.items():
        rules = Counter(item.rule for item in items).most_common()
        words = ", ".join(f"{rule} {count}" for rule, count in rules)
        yield (
            f"{items[0].where}: {len(items)} vectors of {name} are proposed ({words}), such as"
            f" {items[0].id}, and neither admitted nor declined; {ADMIT} admits them,"
            " `declined:` of specs/rulings.yaml does not"
        )
    yield from without_effect(history.rulings.declined, [item.id for item in proposals])
