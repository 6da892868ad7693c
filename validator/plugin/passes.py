"""How many vectors passed in a session of pytest, and whether that turns it red."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..gate.about import sunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from ..gate.expectations import Expectations


class Passes:
    """Counts the tests of vectors as their reports come in, those of xdist's workers among them."""

    def __init__(
        self, expectations: Expectations, selected: Sequence[str], patterns: Sequence[str]
    ) -> None:
        """Count for a baseline and the selected vectors; `patterns` selected them."""
        self._expectations = expectations
        self._selected = selected
        self._patterns = patterns
        self._judged = 0
        self._passed = 0

    def add(self, report: pytest.TestReport) -> None:
        """Count the report of a vector's test."""
        if report.when == "call":
            self._judged += 1
            self._passed += report.passed

    @property
    def alarm(self) -> str:
        """Why the number of passes turns the session red; empty if it does not."""
        known = self._expectations
        if known.file is None or not self._judged:
            return ""
        return sunk(
            known.about,
            {"patterns": list(self._patterns)} if self._patterns else {},
            self._passed,
            sum(item in known.of and known.of[item].flaky for item in self._selected),
            whole=self._judged == len(self._selected),
        )
