"""What the vectors of a spec depend on, as one digest: they are the same as long as it is.

Everything counts that could make a difference, rather than what is known to make one: all code of
the packages `generators` and `core`, whatever is installed, every file below the specs but the
specs of other operators, and what the lock lists of the operator. So one spec, or one line of the
lock, concerns one operator; a module, a schema or `corpus.yaml` concerns all.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

from onnx_conformance import core
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import BadInputError

from ...whole_models.reading import model_spec_file
from ..lock import listed_in_excerpt, lock_beside
from ..stems import all_stems, slug_in

_CODE = (Path(__file__).parents[2], Path(str(core.__file__)).parent)
_COMPILED = "__pycache__"


@dataclass(frozen=True)
class Dependencies:
    """What the vectors of a folder of specs depend on.

    Attributes:
        specs: the folder.
        profile: which of all possible vectors are made.
    """

    specs: Path
    profile: str

    def of(self, stem: str) -> str:
        """The digest for the spec with this file name, without its ending."""
        own = model_spec_file(self.specs, stem) or self.specs / f"{stem}.yaml"
        _ = self.began
        return _digest([self._common, stem, own.read_bytes().hex(), *self._listed(stem)])

    @cached_property
    def began(self) -> str:
        """The state of all files before any of them was read for a digest."""
        return self.state()

    @cached_property
    def _common(self) -> str:
        installed = sorted(f"{item.name} {item.version}" for item in metadata.distributions())
        contents = (
            f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
            for folder, path in self._files
        )
        named = [self.profile, str(self.specs), platform.python_version()]
        return _digest([*named, *installed, *contents])

    @cached_property
    def _files(self) -> tuple[tuple[Path, Path], ...]:
        """The files that all operators depend on, each with the folder that it is below."""
        own = {
            model_spec_file(self.specs, stem) or self.specs / f"{stem}.yaml"
            for stem in all_stems(self.specs)
        }
        every = ((folder, path) for folder in (*_CODE, self.specs) for path in _below(folder))
        return tuple(sorted(item for item in every if item[1] not in own))

    def _listed(self, stem: str) -> Iterator[str]:
        """What lock and excerpt list of an operator: of all, if the spec hides its name."""
        lock = lock_beside(self.specs)
        if lock is None:
            return
        slug = slug_in(self.specs, stem)
        if slug is None:
            yield (lock.root / MANIFEST_FILE).read_bytes().hex()
            return
        for name in lock.operator_versions:
            if name.rpartition("-")[0] == slug:
                yield f"{name} {lock.digest(name)}"
        yield from sorted(listed_in_excerpt(self.specs, slug))

    def state(self) -> str:
        """Sizes and times of all files: another one if any of them was written meanwhile.

        It says in milliseconds whether a digest that was taken before still holds.
        """
        lock = lock_beside(self.specs)
        files = [path for folder in (*_CODE, self.specs) for path in _below(folder)]
        if lock is not None:
            files.append(lock.root / MANIFEST_FILE)
        stats = ((path, path.stat()) for path in sorted(files))
        return _digest(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats)


def compared(specs: Path) -> dict[str, str]:
    """What decides on all vectors of these specs, by name, so that two machines can be compared.

    Raises OSError or BadInputError if there are no such specs.
    """
    if not specs.is_dir():
        raise BadInputError("there is no such folder")
    installed = sorted(f"{item.name} {item.version}" for item in metadata.distributions())
    lock = lock_beside(specs)
    folders = (specs, *([] if lock is None else [lock.root]))
    return {
        "Python": platform.python_version(),
        "packages": _digest(installed),
        "code": _digest(_contents(_CODE)),
        "specs or lock": _digest(_contents(folders)),
    }


def _contents(folders: Iterable[Path]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(_below(folder)):
            yield f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder, but for compiled code."""
    for path in folder.rglob("*"):
        if _COMPILED not in path.parts and path.is_file():
            yield path


def _digest(texts: Iterable[str]) -> str:
    summed = hashlib.sha256()
    for text in texts:
        summed.update(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest())
    return summed.hexdigest()
