"""What was made of each spec, kept until something changes that it depends on.

A file for each spec: a line of JSON that says of which dependencies it was made and what its digest
is, then what was made. That is pickled: it is our own, in a folder of this checkout, as compiled
code is.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import cannot_write
from onnx_conformance.core.files import replacing

from ..made import OperatorCorpus
from .dependencies import Dependencies

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

    def has(self, stem: str) -> bool:
        """Whether what was made of a spec is here, whole, and need not be made again."""
        key = self._dependencies.of(stem)  # before a file is read to make it
        try:
            said, content = self._parts(stem)
            proposed = bool(said["proposed"]) or not self.propose
            whole = said["digest"] == hashlib.sha256(content).hexdigest()
            return proposed and whole and bool(said["key"] == key)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def operator(self, stem: str) -> OperatorCorpus:
        """What was made of a spec that is here."""
        content = zlib.decompress(self._parts(stem)[1])
        operator: OperatorCorpus = pickle.loads(content)  # noqa: S301  ours, as its digest says
        return replace(operator, kept=True)

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

    def _parts(self, stem: str) -> tuple[dict[str, Any], bytes]:
        with self._path(stem).open("rb") as stream:
            return json.loads(stream.readline()), stream.read()

    def _write(self, stem: str, key: str, operator: OperatorCorpus) -> None:
        content = zlib.compress(pickle.dumps(operator), _FAST)
        digest = hashlib.sha256(content).hexdigest()
        said = {"key": key, "proposed": self.propose, "digest": digest}
        path = self._path(stem)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(path) as stream:
                stream.writelines([json.dumps(said).encode() + b"\n", content])
        except OSError as error:
            raise cannot_write(path, error) from None
