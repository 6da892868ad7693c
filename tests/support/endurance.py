"""How often a test tries: a little always, and much with `make endurance`."""

from __future__ import annotations

import pytest


def rounds(few: int, many: int) -> pytest.MarkDecorator:
    """Parametrize a test by `rounds`: a few in every run, many behind the mark `endurance`."""
    marks = (pytest.mark.endurance, pytest.mark.slow)
    return pytest.mark.parametrize("rounds", [few, pytest.param(many, marks=marks)])
