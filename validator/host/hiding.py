"""What a child can see of this process does not name the corpus.

A harness answers from what it is sent. One that reads its parent's arguments, by accident or in
earnest, would find `--vectors DIR`, and beside each input the output that is expected. This is no
wall: whoever searches the disk finds the corpus (docs/reliability.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from onnx_conformance.core.corpus.cache import CACHE_VARIABLE

_OPTION = b"--vectors"
# Fields 48 and 49 of /proc/PID/stat (proc(5)), counted from the state, which is the third.
_ARGUMENTS_BEGIN, _ARGUMENTS_END = 45, 46


def child_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a child: ours without the folder in which vectors are kept."""
    return {name: value for name, value in environment.items() if name != CACHE_VARIABLE}


def hide_vectors_argument() -> None:
    """Overwrite the value of `--vectors` in what other processes see of our command line.

    The value that was parsed stays as it is. Only on Linux; elsewhere, and where the system does
    not tell where the arguments are, nothing is changed.
    """
    if sys.platform != "linux":
        return
    try:
        shown = Path("/proc/self/cmdline").read_bytes()
        facts = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        begin, end = int(facts[_ARGUMENTS_BEGIN]), int(facts[_ARGUMENTS_END])
    except (OSError, IndexError, ValueError):
        return
    hidden = without_vectors(shown)
    if hidden == shown or not begin or end - begin != len(shown):
        return
    import ctypes

    if ctypes.string_at(begin, len(shown)) == shown:
        ctypes.memmove(begin, hidden, len(hidden))


def without_vectors(arguments: bytes) -> bytes:
    """A command line, each argument ended by a zero, with dots in place of what `--vectors` says.

    It is as long as before.
    """
    found = []
    follows = False
    for item in arguments.split(b"\0"):
        option, equals, value = item.partition(b"=")
        if follows:
            found.append(b"." * len(item))
        elif equals and _is_option(option):
            found.append(option + equals + b"." * len(value))
        else:
            found.append(item)
        follows = not equals and _is_option(item)
    return b"\0".join(found)


def _is_option(item: bytes) -> bool:
    """Whether an argument is the option, also where argparse completes it: `--vec`."""
    return len(item) > len(b"--ve") and _OPTION.startswith(item)
