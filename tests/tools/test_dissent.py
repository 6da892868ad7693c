"""Runtimes that agree with each other and not with the corpus are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sample_results as sample
from tools.dissent import lines

if TYPE_CHECKING:
    from pathlib import Path

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"


def test_the_same_wrong_answer_of_two_runtimes_is_shown(tmp_path: Path) -> None:
    both = [
        sample.simple(tmp_path / f"{name}.jsonl", name, {A: "wrong-value", B: verdict})
        for name, verdict in (("one", "rejected"), ("two", "pass"))
    ]
    (line,) = lines(both, 2)
    assert line.startswith(f"{A}: wrong-value, one, two: ")


def test_different_wrong_answers_are_no_agreement(tmp_path: Path) -> None:
    both = [
        sample.simple(tmp_path / f"{name}.jsonl", name, {A: verdict})
        for name, verdict in (("one", "wrong-shape"), ("two", "wrong-value"))
    ]
    assert ["no two of these runtimes do the same wrong thing"] == list(lines(both, 2))
