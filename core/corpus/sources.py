"""Where the files of vectors come from if they are not in the folder of their corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol


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


class Supply(Protocol):
    """Makes the vectors of operator versions, one after the other, while others are judged."""

    def start(self) -> None:
        """Begin; BadInputError if nothing can be made here."""
        ...

    def is_there(self, operator_version: str, place: str) -> bool:
        """Whether the vector with that directory can be read now.

        Raises BadInputError if vectors cannot be made, or differ from what the manifest lists, and
        CannotWriteError if there is no room for them.
        """
        ...

    def wait(self) -> None:
        """Wait until everything is made; errors as of `is_there`."""
        ...

    def close(self) -> None:
        """End what is under way; what is whole stays."""
        ...


class Source(Protocol):
    """Has the vectors of a corpus whose manifests exist but whose files may not exist yet.

    Operator versions are given as in ids: `reshape-14`.
    """

    def holder(self, operator_version: str) -> Holder:
        """What holds the vectors of an operator version, or will hold them."""
        ...

    def missing(self, operator_versions: Iterable[str]) -> Sequence[str]:
        """The given operator versions whose vectors are missing, wholly or in part."""
        ...

    def supply(self, operator_versions: Sequence[str]) -> Supply:
        """Makes operator versions in this order, each complete or not at all, once it is started.

        It is given those that are missing.
        """
        ...


class Everything:
    """The supply of a corpus whose vectors are all there."""

    def start(self) -> None:
        """Nothing is to be made."""

    def is_there(self, operator_version: str, place: str) -> bool:
        """Everything is."""
        del operator_version, place
        return True

    def wait(self) -> None:
        """There is nothing to wait for."""

    def close(self) -> None:
        """Nothing is under way."""
