"""Processes that draw calls."""

from __future__ import annotations

import contextlib

from onnx_conformance.validator.exploring.supplying.makers import Makers, Task


def test_what_was_sent_before_is_not_among_the_results_of_some_tasks() -> None:
    """As where an exploration ends while calls are drawn, and failures are made simpler then."""
    with contextlib.closing(Makers(1)) as makers:
        makers.submit(Task("explore/abs-13/s1.0"))
        wanted = ["explore/abs-13/s1.1", "explore/abs-13/s1.2"]
        assert set(wanted) == makers.all_of([Task(name) for name in wanted]).keys()
