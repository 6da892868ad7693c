"""Finds the vectors of a folder without a manifest, and what may once have been one.

Nobody says how many there should be, so nothing that could be a vector is passed over: a folder
that cannot be read, one that has lost its model and an empty one are found too, each with a verdict
of its own in a run. Links are followed to what lies inside the opened folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...limits import ID
from ...text import visible
from ..vectors import DATA_FILE, MODEL_FILE

_DATA_SET = "test_data_set_"
_VALUE_ENDING = ".pb"


@dataclass(frozen=True)
class Found:
    """A directory that is a vector, or should be.

    Attributes:
        directory: its path.
        described: whether it has a data.json.
        problem: why it cannot be used, whatever it holds; empty if nothing is known of that.
    """

    directory: str
    described: bool = False
    problem: str = ""

    def name_in(self, root: Path) -> str:
        """Its id where it has no data.json: the path below `root`, in one line as ids are.

        Patterns of ids are in lower case. The opened folder itself has no path below it: its name.
        """
        directory = Path(self.directory)
        relative = directory.relative_to(root).as_posix()
        name = directory.absolute().name if relative == "." else relative
        shown = visible(name.lower()).replace("\n", "\\n").replace("\t", "\\t")
        return "".join(item if item.isprintable() else "?" for item in shown)[:ID]


def vectors_below(root: str) -> Iterator[Found]:
    """Every directory at or below `root` that is a vector or should be, in order of their paths.

    Directories inside a vector's belong to it. Those whose name begins with a dot are no vectors
    where they are empty: tools keep such folders of their own.
    """
    yield from _below(root, os.path.realpath(root), (os.path.realpath(root),))


def is_inside(path: str, folder: str) -> bool:
    """Whether a path leads to something inside a folder, given by its real path."""
    real = os.path.realpath(path)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _below(folder: str, root: str, chain: Sequence[str]) -> Iterator[Found]:
    """`chain` are the real paths of the folder and of those that it lies in."""
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(folder, problem=f"cannot be read: {error.strerror or error}")
        return
    names = {entry.name for entry in inside}
    if MODEL_FILE in names or DATA_FILE in names or any(map(_is_data_set, names)):
        yield Found(folder, DATA_FILE in names)
        return
    if all(name.endswith(_VALUE_ENDING) for name in names):
        if len(chain) > 1 and not _is_of_tools(folder, root):
            yield Found(folder)
        return
    for entry in inside:
        yield from _one(entry, root, chain)


def _one(entry: os.DirEntry[str], root: str, chain: Sequence[str]) -> Iterator[Found]:
    """What is found in one entry of a folder; nothing in a plain file."""
    try:
        is_folder = entry.is_dir()
    except OSError as error:
        yield Found(entry.path, problem=f"cannot be read: {error.strerror or error}")
        return
    if entry.is_symlink() and (is_folder or not Path(entry.path).exists()):
        real = os.path.realpath(entry.path)
        if not is_folder:
            yield Found(entry.path, problem="is a link that leads nowhere")
            return
        if not is_inside(entry.path, root):
            yield Found(
                entry.path,
                problem=f"is a link that leads outside {root}, to {real}; put the vectors there"
                " themselves, or open the folder that they are in",
            )
            return
        if real in chain:
            yield Found(entry.path, problem="is a link to a folder that it lies in")
            return
    if is_folder:
        yield from _below(entry.path, root, (*chain, os.path.realpath(entry.path)))


def _is_data_set(name: str) -> bool:
    return name.startswith(_DATA_SET)


def _is_of_tools(folder: str, root: str) -> bool:
    """Whether a folder or one that it lies in has a name that begins with a dot."""
    return any(part.startswith(".") for part in Path(folder).resolve().relative_to(root).parts)
