"""Specs are laid out so that a person reads them without scrolling sideways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from places import SPECS

from onnx_conformance.generators.editors.layout import LONGEST_LINE, long_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_no_line_of_a_spec_is_too_long() -> None:
    assert [] == list(long_lines([*SPECS.glob("*.yaml"), *SPECS.glob("models/*.yaml")]))


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    path = tmp_path / "abs.yaml"
    path.write_text(f"{'#' * LONGEST_LINE}\n{'#' * (LONGEST_LINE + 1)}\n", "utf-8")
    (problem,) = long_lines([path])
    assert problem.startswith(f"{path}:2: has 141 characters, and 140 are the most")
