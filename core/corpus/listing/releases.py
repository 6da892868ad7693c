"""Versions of the corpus, their order, and what was in each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...documents import INTEGER, OBJECT, TEXT, Must, check, json_line, parsed, read_plain
from ...errors import BadInputError
from ...limits import MANIFEST
from .model import FORMAT

RELEASES_FILE = "releases.json"
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


def is_release(value: object) -> bool:
    """Whether a value is a version of the corpus: three numbers, as `0.2.0`."""
    return type(value) is str and _VERSION.fullmatch(value) is not None


def release_key(version: str) -> tuple[int, ...]:
    """A key that puts versions in their order, 0.9.0 before 0.10.0; ValueError for other texts."""
    if not is_release(version):
        raise ValueError(f"{version!r} is no version of the corpus, such as 0.2.0")
    return tuple(map(int, version.split(".")))


RELEASE = Must("a version of the corpus, such as 0.2.0", is_release)
RELEASE_MAP = Must(
    "an object of texts by version of the corpus",
    lambda value: (
        type(value) is dict
        and all(map(is_release, value))
        and all(type(item) is str for item in value.values())
    ),
)


@dataclass(frozen=True)
class Release:
    """A version of the corpus that was published.

    Attributes:
        version: of the corpus, as `0.2.0`.
        date: the day on which it was published, as `2026-11-23`.
        count: how many vectors it had.
        digest: over their ids and digests, see `digest_of_release`.
        format: the format of its files.
    """

    version: str
    date: str
    count: int
    digest: str
    format: int = FORMAT


def digest_then(since: str | None, digest: str, was: Mapping[str, str], version: str) -> str | None:
    """The digest that a vector had in a release; None if it did not stand yet.

    Args:
        since: the release since which it stands; None if nobody knows, which counts as always.
        digest: what it has now, or had last.
        was: its digests before, by the last release that had them.
        version: the release that is asked about.

    Whether it was withdrawn before, the caller knows.
    """
    asked = release_key(version)
    if since is not None and asked < release_key(since):
        return None
    later = [last for last in was if asked <= release_key(last)]
    return was[min(later, key=release_key)] if later else digest


def digest_of_release(vectors: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the lines `<id> <digest>` of the vectors, ordered by id."""
    found = hashlib.sha256()
    for vector_id, digest in sorted(vectors):
        found.update(f"{vector_id} {digest}\n".encode())
    return found.hexdigest()


# --- the list of releases -------------------------------------------------------------------

_ENTRY = {
    "date": Must(
        "a day, such as 2026-11-23",
        lambda value: type(value) is str and re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None,
    ),
    "count": INTEGER,
    "digest": TEXT,
    "format": INTEGER,
}


def read_releases(folder: Path) -> tuple[Release, ...]:
    """The releases that are listed beside a corpus's manifests, the oldest first.

    A folder without the list has none yet. Raises BadInputError if it cannot be read, or is not in
    the order of the versions.
    """
    path = folder / RELEASES_FILE
    try:
        content = read_plain(path, MANIFEST)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        found = tuple(_releases_in(parsed(content, unique=True)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a list of releases: {error!r}") from None
    versions = [item.version for item in found]
    if versions != sorted(versions, key=release_key):
        raise BadInputError(f"{path}: releases are in the order of their versions")
    return found


def _releases_in(document: Any) -> Iterable[Release]:  # noqa: ANN401  a file's content
    check({"releases": document["releases"]}, {"releases": OBJECT})
    for version, entry in document["releases"].items():
        release_key(version)
        check(document["releases"], {version: OBJECT})
        check(entry, _ENTRY)
        yield Release(
            version, entry["date"], entry["count"], entry["digest"], entry.get("format", FORMAT)
        )


def releases_content(releases: Sequence[Release]) -> bytes:
    """The file that lists releases, one a line."""
    lines = [
        f"  {json_line(item.version)}: "
        + json_line(
            {
                "date": item.date,
                "format": item.format,
                "count": item.count,
                "digest": item.digest,
            }
        )
        for item in sorted(releases, key=lambda item: release_key(item.version))
    ]
    return ('{\n "releases": {\n' + ",\n".join(lines) + "\n }\n}\n").encode()
