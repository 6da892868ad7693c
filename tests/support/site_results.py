"""Results of two vectors, of which pages of a site are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sample_results as sample

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "size-13/scalar/int8"


def run(folder: Path, name: str, a: str = "pass", b: str = "pass", **facts: object) -> Results:
    return sample.simple(folder / f"{name}.jsonl", name, {A: a, B: b}, **facts)
