"""The page in docs/ is the one that the command writes."""

from __future__ import annotations

from places import ROOT
from second_opinion.report import HEAD
from second_opinion.rulings import RULINGS, read_rulings

PAGE = ROOT / "docs" / "second-opinion.md"


def test_the_page_begins_as_the_command_begins_it() -> None:
    assert PAGE.read_text("utf-8").startswith(HEAD.read_text("utf-8"))


def test_the_page_shows_each_ruling() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    assert [] == [item.where for item in read_rulings(RULINGS) if item.why not in text]
