"""A corpus on disk: written whole, touching only what changed, and held against the specs."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import DATA_FILE, KINDS, MODEL_FILE, read_files
from onnx_conformance.core.errors import BadInputError

from .making import expected_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .making import CorpusPlan

_TEMPORARY = ".writing-"


@dataclass(frozen=True)
class Written:
    """How many vectors a generation wrote anew, changed, left as they were, and removed."""

    added: int
    changed: int
    unchanged: int
    removed: int


def write_corpus(corpus: CorpusPlan, root: Path) -> Written:
    """Write every vector below `root`; the manifest comes last.

    A vector's directory appears whole or not at all, and one whose files are as they should be is
    not touched. Directories of vectors that are no longer planned are removed; BadInputError where
    something else lies among them, as that may be somebody's work.
    """
    counts = {"added": 0, "changed": 0, "unchanged": 0}
    places: set[str] = set()
    staging = None
    try:
        root.mkdir(parents=True, exist_ok=True)
        # One for all vectors: a temporary folder for each would cost as much as the vector itself.
        staging = Path(tempfile.mkdtemp(dir=root, prefix=_TEMPORARY))
        for place, files in expected_files(corpus):
            if place:
                counts[_write_directory(root / place, files, staging)] += 1
                places.add(place)
            else:
                left = [path for path in _left_over(root, places) if path != staging]
                for path in left:
                    _remove(path)
                _remove_empty_folders(root)
                for name, content in files.items():
                    _write_file(root / name, content)
    except OSError as error:
        raise BadInputError(f"{root}: cannot be written: {error}") from None
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
    return Written(**counts, removed=len(left))


def _write_directory(directory: Path, files: Mapping[str, bytes], staging: Path) -> str:
    """Write a vector in `staging`, then put it in its place."""
    exists = directory.is_dir()
    if exists and _same(directory, files):
        return "unchanged"
    directory.parent.mkdir(parents=True, exist_ok=True)
    new = staging / directory.name
    new.mkdir(mode=0o755)
    for folder in {name.rpartition("/")[0] for name in files} - {""}:
        (new / folder).mkdir()
    for name, content in files.items():
        (new / name).write_bytes(content)
    # Deleting takes long and is left to the end: the vector is absent between two renames only.
    if exists:
        directory.rename(staging / f"{directory.name}.old")
    new.rename(directory)
    return "changed" if exists else "added"


def _same(directory: Path, files: Mapping[str, bytes]) -> bool:
    try:
        return read_files(directory) == files
    except BadInputError:
        return False


def _write_file(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_TEMPORARY)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _left_over(root: Path, places: set[str]) -> Iterator[Path]:
    """What lies where vectors lie and is no planned vector."""
    yield from sorted(root.glob(f"{_TEMPORARY}*"))
    for kind in KINDS:
        for folder in sorted((root / kind).glob("*")):
            if not folder.is_dir():
                yield folder
            else:
                for path in sorted(folder.iterdir()):
                    if path.relative_to(root).as_posix() not in places:
                        yield path


def _remove(path: Path) -> None:
    """Remove a vector that is no longer planned, or what a killed generation left; no other."""
    if path.name.startswith(_TEMPORARY) and path.is_file():
        path.unlink()
        return
    ours = path.name.startswith(_TEMPORARY) or any(
        (path / name).is_file() for name in (MODEL_FILE, DATA_FILE)
    )
    if path.is_symlink() or not path.is_dir() or not (ours or not any(path.iterdir())):
        raise BadInputError(f"{path}: is no vector; move it away")
    shutil.rmtree(path)


def _remove_empty_folders(root: Path) -> None:
    for kind in KINDS:
        for folder in sorted((root / kind).glob("*")):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def corpus_differences(corpus: CorpusPlan, root: Path) -> Iterator[str]:
    """A line for each vector that differs, is missing or is left over, and for each other file."""
    if not root.is_dir():
        yield f"{root}: no such folder"
        return
    places: set[str] = set()
    for place, files in expected_files(corpus):
        if place:
            places.add(place)
            directory = root / place
            if not directory.is_dir():
                yield f"{directory}: is missing"
            else:
                yield from _file_differences(directory, files)
        else:
            for name, content in files.items():
                path = root / name
                if not path.is_file():
                    yield f"{path}: is missing"
                elif path.read_bytes() != content:
                    yield f"{path}: differs"
    for directory in _left_over(root, places):
        yield f"{directory}: is left over; no spec declares it"


def _file_differences(directory: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        found = read_files(directory)
    except BadInputError as error:
        yield str(error)
        return
    for name in sorted(files.keys() | found.keys()):
        if name not in found:
            yield f"{directory}/{name}: is missing"
        elif name not in files:
            yield f"{directory}/{name}: is left over"
        elif files[name] != found[name]:
            yield f"{directory}/{name}: differs"
