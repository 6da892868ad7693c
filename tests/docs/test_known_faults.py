"""Each vector that docs/known-faults.md names is in the corpus, and is of the kind that it says."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from places import ROOT

PAGE = (ROOT / "docs" / "known-faults.md").read_text(encoding="utf-8")
MANIFESTS = ROOT / "vectors" / "standard" / "manifests"
ROW = re.compile(
    r"^\| (?P<fault>[^|]+) \| (?P<ruling>[^|]+) \| (?P<vectors>`[^|]+`) \|$", re.MULTILINE
)
ROWS = [match.groupdict() for match in ROW.finditer(PAGE)]


@cache
def kinds(operator_version: str) -> dict[str, set[str]]:
    """The kinds of the vectors of each case of an operator version."""
    path = MANIFESTS / f"{operator_version}.json"
    vectors: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["vectors"]
    found: dict[str, set[str]] = {}
    for name, entry in vectors.items():
        found.setdefault(name.split("/")[1], set()).add(entry["kind"])
    return found


def test_the_page_has_rows() -> None:
    assert len(ROWS) == PAGE.count("\n| ") - 2 * PAGE.count("\n## ") + PAGE.count("\n|---")


@pytest.mark.parametrize("row", ROWS, ids=[row["fault"][:50] for row in ROWS])
def test_each_vector_of_a_row_is_there_and_of_its_kind(row: dict[str, str]) -> None:
    kind = re.match("valid|invalid|latitude", row["ruling"])
    for name in re.findall(r"`([^`]+)`", row["vectors"]):
        operator_version, case = name.split("/")
        found = kinds(operator_version).get(case, set())
        assert found, name
        assert kind is None or kind.group() in found, (name, found)
