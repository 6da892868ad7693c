"""A corpus on disk: written completely, changing only what differs; or compared with the specs."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.corpus.vector_files import digest as digest_of
from onnx_conformance.core.corpus.vector_files import read_files
from onnx_conformance.core.corpus.vectors import DATA_FILE, KINDS, MODEL_FILE
from onnx_conformance.core.errors import BadInputError, ConformanceError, cannot_write
from onnx_conformance.core.files import folder_alone, replacing

from .keeping.notes import leave_note, take_note

_TEMPORARY = ".writing-"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # as on Windows


@dataclass(frozen=True)
class Written:
    """How many vectors a generation added, changed, left unchanged, and removed."""

    #: Vectors that were not there.
    added: int
    #: Vectors with other files than before.
    changed: int
    #: Vectors that were not touched.
    unchanged: int
    #: Directories that were removed.
    removed: int


class CorpusWriter:
    """Writes a corpus below a root, vector by vector; the manifest comes last.

    A vector's directory appears completely or not at all, and one with the right files is not
    touched. `finish` removes directories of vectors that were not added, and raises BadInputError
    if there is anything else among them, as that may be somebody's work.

    Use it as a context manager, which removes its temporary folder at the end.
    """

    def __init__(self, root: Path, *, noting: bool = False) -> None:
        """Nothing is written yet; entering raises BadInputError if the root cannot be written.

        That is so too while another writer is at work there: each would remove what the other adds.

        Args:
            root: the folder of the corpus.
            noting: note at the end what was written; the next writer that does so, too, then reads
                none of the vectors that should be the same.
        """
        self._root = root
        self._noting = noting
        self._noted: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        self._counts = {"added": 0, "changed": 0, "unchanged": 0}
        self._places: set[str] = set()
        self._staging: Path | None = None
        self._held = contextlib.ExitStack()
        self._folders: dict[str, set[str]] = {}  # of operator versions: the names in them

    def __enter__(self) -> CorpusWriter:  # noqa: PYI034  Self is newer than Python 3.10
        """Make the root and a temporary folder in it."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as held:
                held.enter_context(folder_alone(self._root))
                _refuse_links(self._root)
                # One for all vectors: a temporary folder for each would take as long as the vector
                # itself.
                self._staging = Path(tempfile.mkdtemp(dir=self._root, prefix=_TEMPORARY))
                # Gone until the end: after a writer that was killed, everything is compared.
                noted = take_note(self._root)
                self._noted = noted if self._noting else {}
                self._held = held.pop_all()
        except OSError as error:
            raise self._unwritable(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the temporary folder."""
        if self._staging is not None:
            shutil.rmtree(self._staging, ignore_errors=True)
        self._held.close()

    def add(self, place: str, files: Mapping[str, bytes], digest: str = "") -> None:
        """Write one vector's directory, given relative to the root.

        With the digest of the files, they are looked into only if they have to be written.
        """
        if self._staging is None:
            raise ValueError("a CorpusWriter is used as a context manager")
        try:
            self._counts[self._write(place, files, digest, os.fspath(self._staging))] += 1
        except OSError as error:
            raise self._unwritable(error) from None
        self._places.add(place)
        self._digests[place] = digest

    def _write(self, place: str, files: Mapping[str, bytes], digest: str, staging: str) -> str:
        """Write a vector in `staging`, then move it to its place; says what it was before."""
        # os and not pathlib: this runs for every vector, and pathlib took a third of its time.
        folder, _, name = place.rpartition("/")
        directory = f"{self._root}/{place}"
        exists = name in self._names_in(folder)
        if exists and digest and self._noted.get(place) == digest:
            return "unchanged"
        if exists and _same(directory, files, digest):
            return "unchanged"
        new = f"{staging}/{name}"
        _write_directory(new, files)
        # Deleting is slow and done at the end: the vector is missing only between two renames.
        if exists:
            os.rename(directory, f"{new}.old")  # noqa: PTH104
        os.rename(new, directory)  # noqa: PTH104
        return "changed" if exists else "added"

    def _names_in(self, folder: str) -> set[str]:
        """The directories in the folder of an operator version, which is made if it is not there.

        They are read once: a vector is added once, and nobody else writes below the root.
        """
        names = self._folders.get(folder)
        if names is None:
            path = self._root / folder
            path.mkdir(parents=True, exist_ok=True)
            with os.scandir(path) as entries:
                names = self._folders[folder] = {item.name for item in entries if item.is_dir()}
        return names

    def finish(self, own: Mapping[str, bytes]) -> Written:
        """Remove what no longer belongs there, and write the corpus's own files."""
        try:
            left = [path for path in _left_over(self._root, self._places) if path != self._staging]
            for path in left:
                _remove(path)
            _remove_empty_folders(self._root)
            for name, content in own.items():
                _write_file(self._root / name, content)
            for path in _left_over_own(self._root, own):
                path.unlink()
            if self._noting:
                leave_note(self._root, self._digests)
        except OSError as error:
            raise self._unwritable(error) from None
        return Written(**self._counts, removed=len(left))

    def _unwritable(self, error: OSError) -> ConformanceError:
        return cannot_write(error.filename or self._root, error)


def _write_directory(directory: str, files: Mapping[str, bytes]) -> None:
    os.mkdir(directory, 0o755)  # noqa: PTH102
    for folder in {name.rpartition("/")[0] for name in files} - {""}:
        os.mkdir(f"{directory}/{folder}")  # noqa: PTH102
    for name, content in files.items():
        handle = os.open(f"{directory}/{name}", _NEW_FILE, 0o666)
        try:
            if os.write(handle, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{directory}/{name}")
        finally:
            os.close(handle)


def _same(directory: str, files: Mapping[str, bytes], digest: str) -> bool:
    try:
        found = read_files(directory)
        return digest_of(found) == digest if digest else found == files
    except BadInputError:
        return False


def _write_file(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, prefix=_TEMPORARY) as stream:
        stream.write(content)


def _refuse_links(root: Path) -> None:
    """Raise BadInputError if a folder of vectors is a link: its target may be somebody's work."""
    for kind in KINDS:
        for folder in (root / kind, *(root / kind).glob("*")):
            if folder.is_symlink():
                raise BadInputError(f"{folder}: is a link; nothing is written or removed behind it")


def _left_over(root: Path, places: set[str]) -> Iterator[Path]:
    """Files and folders among the vectors that are not planned vectors."""
    yield from sorted(root.glob(f"{_TEMPORARY}*"))
    for kind in KINDS:
        for folder in sorted((root / kind).glob("*")):
            if not folder.is_dir():
                yield folder
            else:
                for name in sorted(os.listdir(folder)):  # noqa: PTH208  a path for each is slow
                    if f"{kind}/{folder.name}/{name}" not in places:
                        yield folder / name


def _left_over_own(root: Path, own: Mapping[str, bytes]) -> Iterator[Path]:
    """Manifests of operator versions that no longer exist, and files of a killed writer."""
    folders = {name.rpartition("/")[0] for name in own} - {""}
    for folder in sorted(folders):
        for path in sorted((root / folder).glob("*")):
            ours = path.name.startswith(_TEMPORARY) or path.suffix == ".json"
            if path.is_file() and ours and path.relative_to(root).as_posix() not in own:
                yield path


def _remove(path: Path) -> None:
    """Remove a vector that is no longer planned, or files of a killed generation; nothing else."""
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


class CorpusComparison:
    """Compares a corpus on disk with the expected files, vector by vector."""

    def __init__(self, root: Path) -> None:
        """`root` is the folder of the corpus."""
        self._root = root
        self._places: set[str] = set()
        self._lines: list[str] = []

    def add(self, place: str, files: Mapping[str, bytes], digest: str = "") -> None:
        """Compare one vector's directory; by the digest of the files, if it is given."""
        self._places.add(place)
        directory = self._root / place
        if directory.is_dir():
            if digest and _same(str(directory), files, digest):
                return
            self._lines += _file_differences(directory, files)
        else:
            self._lines.append(f"{directory}: is missing")

    def finish(self, own: Mapping[str, bytes]) -> list[str]:
        """A line for each file or directory that differs, is missing or does not belong there."""
        if not self._root.is_dir():
            return [f"{self._root}: no such folder"]
        for name, content in own.items():
            path = self._root / name
            if not path.is_file():
                self._lines.append(f"{path}: is missing")
            elif path.read_bytes() != content:
                self._lines.append(f"{path}: differs")
        for directory in _left_over(self._root, self._places):
            self._lines.append(f"{directory}: is left over; no spec declares it")
        for path in _left_over_own(self._root, own):
            self._lines.append(f"{path}: is left over; no spec declares its operator version")
        return self._lines


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
