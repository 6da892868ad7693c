"""What changed among the vectors between two moments, and the ruling on each change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import is_release, release_key

from ..specs.rulings import Ruling, Rulings, taken_by

if TYPE_CHECKING:
    from .contents import Contents, ReleasedVector


@dataclass(frozen=True)
class Corrected:
    """A vector with other bytes than before.

    Attributes:
        vector: as it is now.
        old: the digest that it had.
        ruling: why, in the words of `specs/rulings.yaml`; None if nobody said.
    """

    vector: ReleasedVector
    old: str
    ruling: Ruling | None


@dataclass(frozen=True)
class Gone:
    """A vector that no longer stands.

    Attributes:
        vector: as it stood.
        reason: why it was withdrawn; None if it is lost without a word.
        release: the first that it is not in; None as well if it is lost.
    """

    vector: ReleasedVector
    reason: str | None
    release: str | None


@dataclass(frozen=True)
class Changes:
    """What changed among the vectors, each part ordered by id.

    Attributes:
        old, new: what was compared.
        added: vectors that stand now and did not.
        corrected: vectors with other bytes.
        withdrawn: vectors that stood and do not.
    """

    old: Contents
    new: Contents
    added: tuple[ReleasedVector, ...]
    corrected: tuple[Corrected, ...]
    withdrawn: tuple[Gone, ...]

    @property
    def unexplained(self) -> tuple[str, ...]:
        """Ids that were corrected without a ruling, or lost without being withdrawn."""
        return tuple(
            sorted(
                [
                    *(item.vector.id for item in self.corrected if item.ruling is None),
                    *(item.vector.id for item in self.withdrawn if item.reason is None),
                ]
            )
        )


def changes_between(old: Contents, new: Contents, rulings: Rulings) -> Changes:
    """Compare what was at two moments."""
    both = sorted(old.vectors.keys() & new.vectors.keys())
    changed = [name for name in both if old.vectors[name].digest != new.vectors[name].digest]
    ruled = _rulings_on(changed, old.version, new.version, rulings)
    return Changes(
        old,
        new,
        tuple(new.vectors[name] for name in sorted(new.vectors.keys() - old.vectors.keys())),
        tuple(
            Corrected(new.vectors[name], old.vectors[name].digest, ruled.get(name))
            for name in changed
        ),
        tuple(
            _gone(old.vectors[name], new)
            for name in sorted(old.vectors.keys() - new.vectors.keys())
        ),
    )


def _gone(vector: ReleasedVector, new: Contents) -> Gone:
    line = new.withdrawn.get(vector.id)
    return Gone(vector, None, None) if line is None else Gone(vector, line.reason, line.release)


def _rulings_on(ids: list[str], old: str, new: str, rulings: Rulings) -> Mapping[str, Ruling]:
    """The ruling on each id that took effect after one version and up to another, the newest."""
    known = is_release(old) and is_release(new)
    effective = [
        item
        for item in rulings.corrected
        if not known
        or item.release is None
        or item.release == new
        or release_key(old) < release_key(item.release) <= release_key(new)
    ]
    return taken_by(reversed(effective), ids)
