"""ONNX's node tests, built once in a process: ONNX builds them only once, and it takes seconds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from onnx_conformance.generators.importing.collecting import collect

if TYPE_CHECKING:
    from onnx_conformance.generators.importing.collecting import UpstreamCase


@cache
def collected() -> tuple[UpstreamCase, ...]:
    """Every node test of the installed onnx package."""
    return collect()


def case_named(name: str) -> UpstreamCase:
    """The node test that ONNX calls so."""
    return next(case for case in collected() if case.name == name)
