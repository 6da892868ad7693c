"""What a baseline makes of the verdicts, as far as reports show it.

Reports are made from results files alone; where a gate was applied, its outcome may be given
beside them: one mark for each vector that is anything but an ordinary pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["expected", "unexpected", "stale", "flaky"]


@dataclass(frozen=True)
class Mark:
    """The gate's word on one vector.

    Attributes:
        outcome: `expected` (listed, and as listed), `unexpected` (not listed, or another kind of
            failure than the listed one), `stale` (listed, and passes) or `flaky` (listed as such).
        reason: the baseline's words, or why the gate is red.
        where: file and line of the entry, e.g. `baseline.yaml:12`; empty without one.
        link: the entry's link; empty without one.
    """

    outcome: Outcome
    reason: str = ""
    where: str = ""
    link: str = ""

    @property
    def red(self) -> bool:
        """Whether this vector fails the gate."""
        return self.outcome in ("unexpected", "stale")


Marks: TypeAlias = Mapping[str, Mark]
"""Marks of one backend by vector id."""
