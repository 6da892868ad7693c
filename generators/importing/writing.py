"""A folder of imported cases: written completely or not at all, with a manifest of digests."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import INLINE_FORMAT, MANIFEST_FILE
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.files import replacing_folder

from .cases import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import Vector

CORPUS_PREFIX = "onnx-"
# Unless a file is opened as binary, Windows writes two bytes for each line feed.
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class ImportedCase:
    """A case with its metadata and all of its files, by their path inside its directory."""

    #: Its metadata.
    vector: Vector
    #: All its files by path in its directory.
    files: Mapping[str, bytes]

    @property
    def folder(self) -> str:
        """Its directory below the output folder, named as ONNX names the case."""
        return f"{FOLDER}/{self.vector.case}"


def manifest_of(cases: Iterable[ImportedCase], onnx_version: str) -> bytes:
    """The manifest: the digest and the directory of each case, by id."""
    ordered = sorted(cases, key=lambda case: case.vector.id)
    document = {
        "format": INLINE_FORMAT,
        "corpus": CORPUS_PREFIX + onnx_version,
        "vectors": {"valid": {case.vector.id: digest(case.files) for case in ordered}},
        "folders": {case.vector.id: case.folder for case in ordered},
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def check_output(root: Path) -> None:
    """Raise UsageError unless `root` may be written: new, empty, or an earlier import."""
    if not root.exists():
        return
    if not root.is_dir():
        raise UsageError(f"{root}: is not a folder")
    if not any(root.iterdir()):
        return
    try:
        corpus = json.loads((root / MANIFEST_FILE).read_bytes())["corpus"]
        imported = corpus.startswith(CORPUS_PREFIX)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        imported = False
    if not imported:
        raise UsageError(
            f"{root}: is neither empty nor an earlier import, and would be replaced as a whole;"
            " name another folder with --output"
        )


def write(cases: Sequence[ImportedCase], onnx_version: str, root: Path) -> None:
    """Write the cases and their manifest as the folder `root`, which is replaced as a whole.

    Raises UsageError if `root` holds something else, BadInputError if it cannot be written; in both
    cases its present content stays.
    """
    check_output(root)
    try:
        with replacing_folder(root) as folder:
            _write_below(os.fspath(folder), cases)
            (folder / MANIFEST_FILE).write_bytes(manifest_of(cases, onnx_version))
    except OSError as error:
        raise BadInputError(f"{root}: cannot be written: {error}") from None


def _write_below(root: str, cases: Iterable[ImportedCase]) -> None:
    # os and not pathlib, and no repeated checks: there are ten thousand files, and writing them
    # must take little time compared with building them.
    os.mkdir(f"{root}/{FOLDER}")  # noqa: PTH102  see above
    for case in cases:
        made = set()
        for name, content in case.files.items():
            folder, _, _ = name.rpartition("/")
            for place in (case.folder, f"{case.folder}/{folder}" if folder else case.folder):
                if place not in made:
                    os.mkdir(f"{root}/{place}")  # noqa: PTH102  see above
                    made.add(place)
            path = f"{root}/{case.folder}/{name}"
            descriptor = os.open(path, _FLAGS, 0o644)
            try:
                _write_all(descriptor, content)
            finally:
                os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
