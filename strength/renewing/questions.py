"""What is asked of the workers of a cluster, what they answer, and who may answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.generators.corpus.keeping.dependencies import compared
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.rounding import decode_all
from onnx_conformance.validator.running.reuse.identity import judge_digest

from ..vectors import entries_of

_PACKAGE = Path(__file__).parents[1]
#: The checkout.
ROOT = _PACKAGE.parent
# What is written while operators are measured decides on nothing.
_RECORDS = "records"


@dataclass(frozen=True)
class Question:
    """What a worker is asked.

    Attributes:
        function: what is called, of a module of this package.
        arguments: with what.
        folders: those of the vectors, which are read ahead.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What it answers: what the function returned, or in words why it did not."""

    result: Any = None
    problem: str = ""


def read_before(folders: tuple[Path, ...]) -> None:
    """Read, or work out, what takes long and never changes: children inherit it."""
    for folder in folders:
        entries_of(folder)
    installed_signatures()
    for name in ("float16", "bfloat16"):
        decode_all(name, [])


def decides(folders: tuple[Path, ...]) -> dict[str, str]:
    """Digests of all that decides on a measurement, by name."""
    found = {**compared(ROOT / "specs"), "judge": judge_digest()}
    sources = sorted(
        path
        for path in _PACKAGE.rglob("*")
        if path.suffix in (".py", ".yaml") and _RECORDS not in path.relative_to(_PACKAGE).parts
    )
    found["strength"] = sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    for folder in folders:
        manifest = folder / MANIFEST_FILE
        content = manifest.read_bytes() if manifest.is_file() else b""
        found[f"vectors at {folder}"] = sha256(content).hexdigest()
    return found
