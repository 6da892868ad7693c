"""Words that all reports share."""

from __future__ import annotations

from functools import lru_cache

from onnx_conformance.core.text import one_line


@lru_cache(maxsize=1024)
def verdict_words(verdict: str, phase: str | None) -> str:
    """`rejected at load`, `wrong-type`."""
    return one_line(f"{verdict} at {phase}" if phase else verdict, 60)


@lru_cache(maxsize=8192)  # a runtime says the same of many vectors
def verdict_and_message(verdict: str, phase: str | None, message: str) -> tuple[str, str]:
    """The verdict in words, and the message without them if it begins with them."""
    words = verdict_words(verdict, phase)
    rest = one_line(message)
    # If a runtime gives no reason, only the verdict is left.
    return words, rest.removeprefix(f"{words}: ") if rest.rstrip(": ") != words else ""
