"""The release: a folder with manifests and an archive for each operator version.

The process that makes vectors also writes their archive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.archived.packing import ENDING, archive_of
from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError, cannot_write
from onnx_conformance.core.files import replacing

from ...specs.reading import spec_files
from ...whole_models.reading import model_spec_files
from ..made import Made
from ..making import as_json, manifests
from ..parallel import make_operator
from ..processes import in_processes
from ..published import PAGE


@dataclass(frozen=True)
class Written:
    """The content of a release.

    Attributes:
        vectors: how many there are.
        archives: how many files hold them.
        size: bytes of all archives.
    """

    vectors: int
    archives: int
    size: int


@dataclass(frozen=True)
class _Part:
    """The archives of one operator."""

    #: Its vectors, as the manifest lists them.
    listed: tuple[Listed, ...]
    #: The texts of its requirements; empty if no vector is in the release.
    requirements: Mapping[str, Any]
    #: How many archives were written, one for each operator version.
    archives: int
    #: Of the archives together, in bytes.
    size: int


def write_release(
    specs: Path,
    profile: str,
    folder: Path,
    selection: Sequence[str] = (),
    jobs: int = 1,
) -> Written:
    """Write manifests, requirements, the page on the format, and an archive for each version.

    Args:
        specs: the folder of the specs.
        profile: which of all possible vectors to make.
        folder: the target folder; it must be new or empty.
        selection: patterns of ids; empty means all.
        jobs: processes that make operators side by side.

    manifest.json is written last: a release without it is not finished. Raises UsageError if the
    folder is not empty, IncompleteError if the selection matches nothing, and BadInputError or
    CannotWriteError if the folder cannot be written.
    """
    facts, paths = spec_files(specs)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is not an empty folder; a release is written into a new one")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths += model_spec_files(specs)
        calls = [(specs, path.stem, profile, tuple(selection), folder) for path in paths]
        parts = list(in_processes(_write_operator, calls, jobs))
        listed = [item for part in parts for item in part.listed]
        if not listed:
            raise IncompleteError(f"{' '.join(selection)}: takes no vector")
        words: dict[str, Any] = {}
        for part in parts:
            words.update(part.requirements)
        _write(folder / PAGE, format_page())
        _write(folder / REQUIREMENTS_FILE, as_json(words))
        for name, content in manifests(facts, profile, listed).items():
            _write(folder / name, content)
    except OSError as error:
        raise cannot_write(error.filename or folder, error) from None
    return Written(
        len(listed), sum(part.archives for part in parts), sum(part.size for part in parts)
    )


def _write_operator(
    specs: Path, stem: str, profile: str, selection: tuple[str, ...], folder: Path
) -> _Part:
    """Make the vectors of one operator, and write the archive of each of its versions."""
    made = make_operator(specs, stem, profile, selection)
    made.require_as_listed()
    by_version: dict[str, list[Made]] = {}
    for vector in made.vectors:
        by_version.setdefault(vector.listed.operator_version, []).append(vector)
    size = 0
    for name, vectors in by_version.items():
        content = archive_of(
            [vector.listed for vector in vectors],
            {vector.listed.id: vector.files for vector in vectors},
        )
        _write(folder / f"{name}{ENDING}", content)
        size += len(content)
    words = made.requirements if made.vectors else {}
    return _Part(tuple(item.listed for item in made.vectors), words, len(by_version), size)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(content)


def format_page() -> bytes:
    """vectors/README.md: the description of the files, for readers without our tools."""
    places = (
        Path(__file__).parents[3] / "published" / PAGE,  # installed
        Path(__file__).resolve().parents[3] / "vectors" / PAGE,  # a checkout
    )
    for place in places:
        if place.is_file():
            return place.read_bytes()
    raise BadInputError(f"the page on the format is missing: {places[0]}")
