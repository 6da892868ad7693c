"""What a verdict depends on beside its vector: the identity of backend, harness and judge.

Two runs with one identity give the same verdict on the same vector, unless the runtime is flaky. So
a row is taken over from an earlier run only where all of it is the same (`reusing`), and workers of
a cluster are asked for theirs before they get a vector.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...host.backends import COMMAND_PREFIX, HARNESSES, PYTHON_PREFIX, Backend

if TYPE_CHECKING:
    from ...host.protocol import Description

_PACKAGE = Path(__file__).resolve().parents[2]
_DIGITS = 16
# A program is read whole to know it again; what is larger is told by its size and time.
_LARGEST = 256 * 1024 * 1024
# What turns a reply into a verdict.
_JUDGES = (
    _PACKAGE / "judging",
    _PACKAGE / "host",
    _PACKAGE / "profiles" / "needs.py",
    _PACKAGE / "running" / "rows.py",
    _PACKAGE / "running" / "doubts.py",
)
# Words for people, by key of an identity.
WORDS = {
    "runtime": "runtime",
    "build": "build of the runtime",
    "harness": "harness",
    "judge": "judge",
    "options": "options",
    "platform": "platform",
}


def identity_of(
    given: str, backend: Backend, description: Description, options: Mapping[str, Any]
) -> dict[str, str]:
    """The identity of a backend on this machine.

    Args:
        given: the value of `--backend`.
        backend: what it names.
        description: what its harness said of itself.
        options: of the run, as far as a verdict can depend on them.
    """
    return {
        "runtime": f"{description.name} {description.version}",
        "build": _digest_of_json(dict(description.raw)),
        "harness": harness_digest(given, backend.command),
        "judge": judge_digest(),
        "options": json.dumps(options, sort_keys=True, separators=(",", ":"), default=str),
        "platform": this_platform(),
    }


def difference_in_words(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """What differs between two identities, `one` being the earlier; empty if nothing does."""
    found = [
        f"its {words} was {one.get(key, 'not told')}, and is {other.get(key, 'not told')}"
        for key, words in WORDS.items()
        if one.get(key) != other.get(key)
    ]
    return "; ".join(found)


def cannot_be_known(given: str, description: Description) -> str:
    """Why a backend cannot be known again from its identity; empty if it can.

    The code behind `python:` may change while its version stays, and nobody here can see it.
    """
    if given.startswith(PYTHON_PREFIX) and not description.details.get("build"):
        return (
            "a backend given as python:MODULE is known again only if its harness tells a"
            " 'build' in the details of its handshake"
        )
    return ""


# --- the parts ------------------------------------------------------------------------------


def harness_digest(given: str, command: Sequence[str]) -> str:
    """The digest of what is started: our harnesses, or the files that a command names.

    The interpreter of ours does not count: the runtime in it says its version. What a program of
    others loads from elsewhere is not seen.
    """
    total = hashlib.sha256()
    if given.startswith(COMMAND_PREFIX):
        for word in command:
            total.update(_word(word).encode() + b"\0")
        return total.hexdigest()[:_DIGITS]
    words = [word for word in command[1:] if word != str(HARNESSES)]
    total.update(json.dumps(words).encode())
    own = words[:1] == ["-m"]
    sources = _PACKAGE.parent / "generators" if own else HARNESSES.parent
    total.update(_digest_of_sources(sources).encode())
    return total.hexdigest()[:_DIGITS]


def judge_digest() -> str:
    """The digest of the code that makes verdicts of replies."""
    from onnx_conformance.core import values

    folders = [Path(item) for item in values.__path__]
    total = hashlib.sha256()
    for path in (*_JUDGES, *folders):
        total.update(_digest_of_sources(path).encode())
    return total.hexdigest()[:_DIGITS]


@cache
def this_platform() -> str:
    """The system and the processor with what it can do: results may depend on either."""
    parts = [platform.system() or "unknown system", platform.machine()]
    features = _processor()
    if features:
        parts.append(features)
    return ", ".join(filter(None, parts))


def _processor() -> str:
    """The processor's name and a digest of its features, as Linux tells them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    facts: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip().lower(), value.strip())
    name = facts.get("model name") or facts.get("cpu part") or platform.processor()
    features = " ".join(sorted((facts.get("flags") or facts.get("features") or "").split()))
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    return f"{name} ({digest})" if features else name


def _word(word: str) -> str:
    """A word of a command: the digest of the file that it names, else itself."""
    found = word if Path(word).is_file() else shutil.which(word)
    if found is None:
        return word
    path = Path(found)
    try:
        facts = path.stat()
        if facts.st_size > _LARGEST:
            return f"{path.name} {facts.st_size} {facts.st_mtime_ns}"
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return word


@cache
def _digest_of_sources(path: Path) -> str:
    """The digest of a module, or of all below a folder."""
    total = hashlib.sha256()
    for file in _sources(path):
        name = file.name if path.is_file() else file.relative_to(path).as_posix()
        total.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def _sources(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def _digest_of_json(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]
