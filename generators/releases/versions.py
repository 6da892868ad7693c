"""What the three numbers of a corpus's version mean, and whether they moved by it.

The first moves when the format of the files changes, the second when vectors are added, the third
when vectors are corrected or withdrawn (docs/releases.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import is_release, release_key
from onnx_conformance.core.text import quantity

from ..specs.rulings import Rulings
from .changes import Changes, changes_between

if TYPE_CHECKING:
    from .contents import Manifests


def least_version(changes: Changes) -> str:
    """The least version that a corpus with these changes may have.

    It is the old version if nothing changed.
    """
    first, second, third = release_key(changes.old.version)
    if changes.old.format != changes.new.format:
        return f"{first + 1}.0.0"
    if changes.added:
        return f"{first}.{second + 1}.0"
    if changes.corrected or changes.withdrawn:
        return f"{first}.{second}.{third + 1}"
    return changes.old.version


def why_least(changes: Changes) -> str:
    """What happened to the vectors, in words: `12 vectors added, 1 corrected`."""
    parts = []
    if changes.old.format != changes.new.format:
        parts.append(f"the format changed from {changes.old.format} to {changes.new.format}")
    for found, word in (
        (changes.added, "added"),
        (changes.corrected, "corrected"),
        (changes.withdrawn, "withdrawn"),
    ):
        if found:
            parts.append(f"{quantity(len(found), 'vector')} {word}")
    return ", ".join(parts) or "no vector changed"


def follows(old: str, new: str) -> bool:
    """Whether a version can be the next one: one number moved by one, and those after it are 0."""
    first, second, third = release_key(old)
    return release_key(new) in {
        (first + 1, 0, 0),
        (first, second + 1, 0),
        (first, second, third + 1),
    }


def version_problems(manifests: Manifests) -> Iterator[str]:
    """A line for each version, released or in work, that did not move by what changed before it.

    Whether releases still hold what they held, and whether the version in work is the latest, the
    lock proves (`corpus.admission.proving`).
    """
    now = manifests.version
    if not is_release(now):
        yield f"{manifests.folder}: '{now}' is no version of a corpus, such as 0.2.0"
        return
    known = [item.version for item in manifests.released]
    if known and release_key(now) < release_key(known[-1]):
        return
    for old, new in pairwise([*known, *([] if now in known else [now])]):
        problem = _move_problem(manifests, old, new)
        if problem:
            yield problem


def _move_problem(manifests: Manifests, old: str, new: str) -> str:
    changes = changes_between(manifests.then(old), manifests.then(new), Rulings())
    least = least_version(changes)
    if not follows(old, new):
        return (
            f"specs/corpus.yaml: version {new} does not follow {old}: one number moves by one,"
            " and those after it are 0"
        )
    if release_key(new) < release_key(least):
        return f"specs/corpus.yaml: version {new} after {old} must be {least}: {why_least(changes)}"
    return ""
