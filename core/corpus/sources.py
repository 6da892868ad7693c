"""Where the files of vectors come from if they are not in the folder of their corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class Holder(Protocol):
    """Has the files of the vectors of one operator version, such as an archive."""

    @property
    def path(self) -> Path:
        """The file; names it in messages."""
        ...

    @property
    def restore(self) -> str:
        """What to do where it lacks a vector, or has another one."""
        ...

    def files(self, place: str) -> dict[str, bytes]:
        """The files of a vector, by path in its directory, which is given as in a vectors folder.

        Raises FileNotFoundError if they are not there, BadInputError if nothing can be read.
        """
        ...


class Source(Protocol):
    """Makes the vectors of a corpus whose manifests exist but whose files may not exist yet.

    Operator versions are given as in ids: `reshape-14`.
    """

    def holder(self, operator_version: str) -> Holder:
        """What holds the vectors of an operator version, or will hold them."""
        ...

    def missing(self, operator_versions: Iterable[str]) -> Sequence[str]:
        """The given operator versions whose vectors are missing, wholly or in part."""
        ...

    def provide(self, operator_versions: Sequence[str]) -> None:
        """Put the vectors of operator versions where they are held, each complete or not at all.

        Raises BadInputError if they cannot be made, or differ from what the manifest lists.
        """
        ...
