"""What turns a session of pytest red beside its tests: too few passes, or too little claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..gate.about import as_of_baseline, claims_less, sunk
from ..profiles.profile import Profile

if TYPE_CHECKING:
    import pytest

    from ..gate.expectations import Expectations
    from ..running.selecting import Selection


class Passes:
    """Counts the tests of vectors as their reports come in, those of xdist's workers among them."""

    def __init__(
        self,
        expectations: Expectations,
        selected: Sequence[str],
        selection: Selection,
        profile: Profile | None,
    ) -> None:
        """Count for a baseline and the selected vectors.

        `selection` is what selected them, and `profile` what the runtime claims, if it claims
        anything.
        """
        self._profile = profile
        self._expectations = expectations
        self._selected = selected
        self._asked = as_of_baseline(selection.to_json(), expectations.about)
        self._judged = 0
        self._passed = 0

    def add(self, report: pytest.TestReport) -> None:
        """Count the report of a vector's test."""
        if report.when == "call":
            self._judged += 1
            self._passed += report.passed

    @property
    def alarm(self) -> str:
        """Why the session is red although its tests are not; empty if it is not."""
        known = self._expectations
        if known.file is None or not self._judged:
            return ""
        return claims_less(known.about, self._profile) or sunk(
            known.about,
            self._asked,
            self._passed,
            sum(item in known.of and known.of[item].flaky for item in self._selected),
            whole=self._judged == len(self._selected),
        )
