"""A folder of vectors that is written whole, in the place of one of its own kind alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import BadInputError, UsageError
from ..files import replacing_folder
from .listing.model import MANIFEST_FILE


def check_replaceable(root: Path, prefix: str, what: str) -> None:
    """Raise UsageError unless `root` is new, empty, or has a corpus whose name begins so.

    Args:
        root: the folder.
        prefix: what names of such a corpus begin with.
        what: such a folder in words.
    """
    if not root.exists():
        return
    if not root.is_dir():
        raise UsageError(f"{root}: is not a folder")
    if not any(root.iterdir()):
        return
    try:
        ours = json.loads((root / MANIFEST_FILE).read_bytes())["corpus"].startswith(prefix)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        ours = False
    if not ours:
        raise UsageError(
            f"{root}: is neither empty nor {what}, and would be replaced as a whole; name another"
            " folder with --output"
        )


def write_vectors(
    root: Path, manifest: Mapping[str, object], vectors: Iterable[tuple[str, Mapping[str, bytes]]]
) -> None:
    """Write vectors and their manifest as the folder `root`, which is replaced as a whole.

    Args:
        root: the folder, which was checked.
        manifest: its manifest.
        vectors: the directory of each below the folder, and its files by path in that.

    Raises BadInputError if it cannot be written; its present content stays then.
    """
    try:
        with replacing_folder(root) as folder:
            _write_below(os.fspath(folder), vectors)
            content = json.dumps(manifest, indent=1) + "\n"
            (folder / MANIFEST_FILE).write_bytes(content.encode())
    except OSError as error:
        raise BadInputError(f"{root}: cannot be written: {error}") from None


def _write_below(root: str, vectors: Iterable[tuple[str, Mapping[str, bytes]]]) -> None:
    # os and not pathlib, and no repeated checks: there may be ten thousand files, and writing them
    # must take little time compared with making them.
    made = set()
    for directory, files in vectors:
        for name, content in files.items():
            path = f"{root}/{directory}/{name}"
            folder, _, _ = path.rpartition("/")
            if folder not in made:
                os.makedirs(folder, exist_ok=True)  # noqa: PTH103  see above
                made.add(folder)
            with open(path, "xb") as stream:  # noqa: PTH123  see above
                stream.write(content)
