"""What was made of each spec, kept until something changes that it depends on.

A file for each spec: a line of JSON that says of which dependencies it was made and what its parts
must be, then all that is known of the vectors but for their files, then their files. The second
part is read when a file is asked for, which `make vectors` does for what changed alone. The parts
are pickled: they are our own, in a folder of this checkout, as compiled code is.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import cannot_write
from onnx_conformance.core.files import replacing

from ..parallel import make_operator
from .dependencies import Dependencies

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..parallel import OperatorCorpus

_FAST = 1  # compression: twice as large as at best, in a tenth of the time


@dataclass(frozen=True)
class Kept:
    """A folder with what was made.

    Attributes:
        folder: the folder; made when something is kept.
        specs: the folder of the specs.
        profile: which of all possible vectors are made.
        propose: whether what the rules propose beyond the lock is part of it.
    """

    folder: Path
    specs: Path
    profile: str
    propose: bool = False

    def operator(self, stem: str) -> OperatorCorpus | None:
        """What was made of a spec; None if it has to be made, now or again."""
        path = self._path(stem)
        try:
            with path.open("rb") as stream:
                said = json.loads(stream.readline())
                if said["key"] != self._dependencies.of(stem) or self.propose > said["proposed"]:
                    return None
                head = stream.read(said["size"])
                start = stream.tell()
                _require(stream.read(), said["digests"][1])
            operator: OperatorCorpus = _unpacked(head, said["digests"][0])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        files = _Files(path, start, said["digests"][1])
        vectors = tuple(
            replace(made, files=_OfOne(files, place)) for place, made in enumerate(operator.vectors)
        )
        return replace(operator, vectors=vectors, kept=True)

    def make(self, stem: str) -> OperatorCorpus:
        """Make a spec's vectors, and keep them unless a file was written meanwhile."""
        self._dependencies.of(stem)  # before a file is read for it
        operator = make_operator(self.specs, stem, self.profile, propose=self.propose)
        self.keep(operator)
        return operator

    def keep(self, operator: OperatorCorpus) -> None:
        """Keep what was made of a spec, unless a file was written since that was begun."""
        key = self._dependencies.of(operator.stem)
        if self._dependencies.began == self._dependencies.state():
            self._write(operator.stem, key, operator)

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies(self.specs, self.profile)

    def _path(self, stem: str) -> Path:
        return self.folder / f"{self.profile}-{stem}.kept"

    def _write(self, stem: str, key: str, operator: OperatorCorpus) -> None:
        known = tuple(replace(made, files={}) for made in operator.vectors)
        parts = [
            zlib.compress(pickle.dumps(part), _FAST)
            for part in (
                replace(operator, vectors=known),
                [dict(made.files) for made in operator.vectors],
            )
        ]
        said = {
            "key": key,
            "proposed": self.propose,
            "size": len(parts[0]),
            "digests": [hashlib.sha256(part).hexdigest() for part in parts],
        }
        path = self._path(stem)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(path) as stream:
                stream.writelines([json.dumps(said).encode() + b"\n", *parts])
        except OSError as error:
            raise cannot_write(path, error) from None


@dataclass(frozen=True)
class _Files:
    """The files of all vectors of a spec, read when the first is asked for."""

    path: Path
    start: int
    digest: str

    @cached_property
    def all(self) -> list[dict[str, bytes]]:
        """The files of each vector; ValueError if they are damaged."""
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            found: list[dict[str, bytes]] = _unpacked(stream.read(), self.digest)
        return found


class _OfOne(Mapping[str, bytes]):
    """The files of one vector."""

    def __init__(self, files: _Files, place: int) -> None:
        self._files, self._place = files, place

    def __getitem__(self, name: str) -> bytes:
        return self._files.all[self._place][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files.all[self._place])

    def __len__(self) -> int:
        return len(self._files.all[self._place])


def _require(part: bytes, digest: str) -> None:
    """ValueError for a damaged part."""
    if hashlib.sha256(part).hexdigest() != digest:
        raise ValueError("damaged")


def _unpacked(part: bytes, digest: str) -> Any:  # noqa: ANN401  one of two
    _require(part, digest)
    return pickle.loads(zlib.decompress(part))  # noqa: S301  our own, with the digest that it had
