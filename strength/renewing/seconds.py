"""How long each operator took last: what takes longest goes out first, so that nobody waits for it.

The file lies beside the details of a renewal, and is not committed: it is about machines.
"""

from __future__ import annotations

import contextlib
import json
import statistics
from collections.abc import Mapping
from pathlib import Path

from onnx_conformance.core.files import write_whole

FILE = "seconds.json"


class Seconds:
    """Seconds of the processor, by operator."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a file that is none says nothing."""
        self._path = path
        self._of: dict[str, float] = {}
        with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):
            document = json.loads(path.read_text(encoding="utf-8"))
            self._of = {str(name): float(value) for name, value in document.items()}

    def expected(self, name: str, works: Mapping[str, tuple[bool, int]]) -> tuple[bool, float]:
        """What an operator is likely to take, to be compared with others.

        Args:
            name: of it.
            works: for each operator whether nothing is known of it, and how much work it is.
        """
        unknown, work = works[name]
        if name in self._of:
            return False, self._of[name]
        known = [
            self._of[item] / most for item, (_, most) in works.items() if most and item in self._of
        ]
        return unknown, work * (statistics.median(known) if known else 1.0)

    def add(self, name: str, seconds: float) -> None:
        """Keep what one took."""
        self._of[name] = round(seconds, 2)
        write_whole(self._path, json.dumps(dict(sorted(self._of.items())), indent=0))
