"""What differs between Windows and all other systems, in one place.

`WINDOWS` is read at each use and never copied: tests set it, and remove the functions that
Windows lacks.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
from collections.abc import Sequence

WINDOWS = os.name == "nt"
# Including the final NUL, as Windows counts; longer paths only if the user has enabled them.
LONGEST_PATH = 260
# The path of a folder must leave room for a short (8.3) file name.
LONGEST_FOLDER = 248
# Characters that no Windows shell interprets.
_PLAIN = re.compile(r"[\w@%+=:,./\\-]+", re.ASCII)


def this_machine() -> str:
    """The machine in a line, without its name: `Linux 6.1.0, x86_64`."""
    system = " ".join(filter(None, (platform.system(), platform.release()))) or "unknown system"
    return ", ".join(filter(None, (system, platform.machine())))


def command_line(words: Sequence[str]) -> str:
    """Words as one command line for the shell of this system: cmd.exe does not know `'`."""
    return " ".join(map(quoted, words)) if WINDOWS else shlex.join(words)


def quoted(word: str, *, always: bool = False) -> str:
    """One word of a command line, in quotes if the shell needs them or `always` is set."""
    if not WINDOWS:
        plain = shlex.quote(word)
        return f"'{plain}'" if always and not plain.startswith("'") else plain
    if _PLAIN.fullmatch(word) and not always:
        return word
    escaped = subprocess.list2cmdline([word])
    return escaped if escaped.startswith('"') else f'"{escaped}"'


def too_long(path: object) -> str:
    """Advice about a path too long for Windows; empty if it is short enough or on other systems."""
    length = len(str(path))
    if not WINDOWS or length < LONGEST_FOLDER:
        return ""
    return (
        f" (its path has {length} characters; Windows takes {LONGEST_PATH - 1} unless long paths"
        " are enabled: name a folder with a shorter path)"
    )
