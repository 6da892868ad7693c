"""What differs between Windows and all other systems, in one place.

`WINDOWS` is read where it is needed, never copied: the tests set it, and take away what that
system lacks.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOWS = os.name == "nt"
# With its end, as the documents of Windows count; more only where its user has enabled long paths.
LONGEST_PATH = 260
# A folder must leave room for a file name of the oldest kind.
LONGEST_FOLDER = 248
# What no shell there takes for anything but itself.
_PLAIN = re.compile(r"[\w@%+=:,./\\-]+", re.ASCII)


def command_line(words: Sequence[str]) -> str:
    """Words as a person pastes them into the shell of this system: cmd.exe knows no `'`."""
    return " ".join(map(quoted, words)) if WINDOWS else shlex.join(words)


def quoted(word: str, *, always: bool = False) -> str:
    """One word of a command line; in quotes where a shell asks for it, or `always`."""
    if not WINDOWS:
        plain = shlex.quote(word)
        return f"'{plain}'" if always and not plain.startswith("'") else plain
    if _PLAIN.fullmatch(word) and not always:
        return word
    escaped = subprocess.list2cmdline([word])
    return escaped if escaped.startswith('"') else f'"{escaped}"'


def too_long(path: object) -> str:
    """What to say of a path that Windows does not take as it comes; nothing where it does."""
    length = len(str(path))
    if not WINDOWS or length < LONGEST_FOLDER:
        return ""
    return (
        f" (its path has {length} characters; Windows takes {LONGEST_PATH - 1} unless long paths"
        " are enabled: name a folder with a shorter path)"
    )
