"""The report formats by name; a format's module is imported only when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable


def writer_of(name: str) -> Callable[..., str | Iterable[str]]:
    """The function that makes a format of some results: a text, or its parts where it is large."""
    module = "json_report" if name == "json" else name
    report = importlib.import_module(f"onnx_conformance.validator.reports.{module}")
    made: Callable[..., str | Iterable[str]] = getattr(report, "parts", report.render)
    return made
