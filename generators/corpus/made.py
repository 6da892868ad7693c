"""What was made of one spec: its vectors with their files, and whether the lock lists them so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.errors import BadInputError

from ..specs.rulings import RULINGS_FILE

if TYPE_CHECKING:
    from .admission.proposals import Proposal
    from .coverage.operators import OperatorCoverage

_NAMED = 3  # ids that a message names


@dataclass(frozen=True)
class Made:
    """A vector with its files.

    Attributes:
        listed: its entry in the manifest.
        files: its files by path in its directory.
        place: its directory below the corpus's root.
        excerpt: whether it belongs to the excerpt.
        differs: whether the lock lists it with another digest or kind; `listed` then says what it
            is now.
    """

    listed: Listed
    place: str
    files: Mapping[str, bytes]
    excerpt: bool
    differs: bool = False


@dataclass(frozen=True)
class OperatorCorpus:
    """The vectors of one spec.

    Attributes:
        stem: name of the spec's file without its ending.
        slug: what the ids of its vectors begin with.
        vectors: all of them, or those of a selection and their controls.
        coverage: what covers what; None if only a selection was made.
        requirements: their texts, by operator.
        unlisted: a line for each case without any vector in the lock; empty for a selection.
        lost: a line for each vector that the lock lists and the spec does not have.
        proposals: what the rules propose beyond the lock, if that was asked for.
        kept: whether it was made by an earlier call.
    """

    stem: str
    slug: str
    vectors: tuple[Made, ...]
    coverage: OperatorCoverage | None
    requirements: Mapping[str, Any]
    unlisted: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    kept: bool = False

    def require_as_listed(self) -> None:
        """Raise BadInputError if these are not the vectors that the lock lists."""
        differing = [made.listed.id for made in self.vectors if made.differs]
        require_as_listed(differing, self.lost, self.unlisted)


def require_as_listed(
    differing: Sequence[str], lost: Sequence[str], unlisted: Sequence[str]
) -> None:
    """Raise BadInputError if what was made is not what the lock lists.

    Args:
        differing: the ids of vectors that come out otherwise.
        lost: a line for each vector that no spec has.
        unlisted: a line for each case that the lock does not have.
    """
    if differing:
        raise BadInputError(
            f"{len(differing)} vectors come out otherwise than the lock lists them:"
            f" {', '.join(differing[:_NAMED])}; if that is meant, rule on it below `corrected:` of"
            f" specs/{RULINGS_FILE} (no need where they are in no release yet), and run"
            " `onnx-vectors admit --write`"
        )
    if lost:
        raise BadInputError(_first_of(lost))
    if unlisted:
        raise BadInputError(
            f"{_first_of(unlisted)}; `onnx-vectors admit` shows what the rules propose,"
            " and `--write` admits it"
        )


def _first_of(lines: Sequence[str]) -> str:
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return f"{lines[0]}{more}"
