"""How the vectors of each family are counted by what mutants miss of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from strength.records.history import History, Kills, vector_digest
from strength.reports import families
from strength.reports.families import (
    UNKNOWN,
    WRITTEN,
    Family,
    Subject,
    alone_in,
    count,
    count_families,
    families_of,
    told,
)

from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

NOT = Subject(
    name="Not",
    families={"scalar": "structure", "empty": "structure", "example": WRITTEN},
    vectors=(
        "not-1/scalar/bool",
        "not-1/scalar/bool.function",
        "not-1/empty/bool",
        "not-1/example/bool",
    ),
    killers=frozenset({vector_digest("not-1/scalar/bool"), vector_digest("not-1/example/bool")}),
    alone=frozenset({"example"}),
)
ABS = Subject(
    name="Abs",
    families={"scalar": "structure"},
    vectors=("abs-13/scalar/int8", "abs-13/other/int8"),
    killers=frozenset({vector_digest("abs-13/scalar/int8")}),
)
FORGOTTEN = Subject("Sign", {}, ("sign-13/scalar/int8",), None)


def _counts(family: Family, *names: str) -> tuple[int, ...]:
    return tuple(family.counts[name] for name in names)


def test_vectors_that_no_mutant_misses_are_counted_by_family_worst_first() -> None:
    counted = count([NOT, ABS, FORGOTTEN])
    found = [
        (item.name, len(item.operators), *_counts(item, "cases", "vectors", "killers"))
        for item in counted.families
    ]
    expected = [
        (UNKNOWN, 1, 1, 1, 0),
        ("structure", 2, 3, 4, 2),
        (WRITTEN, 1, 1, 1, 1),
    ]
    assert expected == found
    assert [1, 2, 0] == [item.unnoticed for item in counted.families]
    assert [1, 0.5, 0] == [item.share for item in counted.families]
    assert [1, 1, 0] == [item.counts["idle"] for item in counted.families]


def test_cases_that_kill_alone_are_counted_of_operators_of_which_that_is_known() -> None:
    counted = count([NOT, ABS])
    found = {item.name: _counts(item, "alone", "told") for item in counted.families}
    assert {UNKNOWN: (0, 0), "structure": (0, 2), WRITTEN: (1, 1)} == found
    assert 1 == counted.alone


def test_vectors_of_operators_that_are_left_out_are_counted_everywhere_alone() -> None:
    left_out = Subject("Sign", {"scalar": "structure"}, FORGOTTEN.vectors, None)
    families = count([ABS, left_out]).families
    found = {item.name: _counts(item, "everywhere", "vectors") for item in families}
    assert {"structure": (2, 1), UNKNOWN: (1, 1)} == found


def test_what_is_not_counted_is_said() -> None:
    counted = count([NOT, ABS, FORGOTTEN, Subject("Max", {}, ("max-13/a/int8",), None)], ["Max"])
    text = "\n".join(told(counted))
    assert "Of 2 of 4 operators" in text
    assert "1 (Max) whose remembered kills are by vectors that are gone" in text
    assert "1 (Sign) of which no kills are remembered" in text
    assert "kill alone: of cases of 1 operators" in text


def test_the_last_row_has_everything() -> None:
    rows = [text.split() for text in told(count([NOT, ABS]))]
    (total,) = [row for row in rows if row[:1] == ["all"]]
    assert ["all", "6", "2", "5", "6", "3", "3", "50.0", "%", "2", "1", "of", "3"] == total


def test_a_case_knows_its_family() -> None:
    _, (spec,) = read_specs(ROOT / "specs", ["not"])
    found = families_of(spec)
    assert "structure" in found.values()
    assert set(found) == set(spec.cases)


def test_operators_whose_killers_are_gone_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = {"Not": ("not-1/gone/bool",), "And": ("and-7/kept/bool",)}
    histories = {
        name: History("", Kills(tuple(map(vector_digest, ids)), (0,)), {}, 1)
        for name, ids in kills.items()
    }
    listed = ["not-1/kept/bool", "and-7/kept/bool", "and-7/more/bool"]

    class Corpus:
        entries = dict.fromkeys(listed)

    monkeypatch.setattr(families, "open_corpus", lambda _: Corpus)
    monkeypatch.setattr(families, "read_history", lambda: histories)
    monkeypatch.setattr(
        families, "read_specs", lambda _: read_specs(ROOT / "specs", ["and", "not"])
    )
    counted = count_families(tmp_path, ROOT / "specs")
    assert ("Not",) == counted.changed
    assert [(UNKNOWN, 2, 1)] == [
        (item.name, *_counts(item, "vectors"), item.unnoticed) for item in counted.families
    ]
    monkeypatch.setattr(families, "read_history", dict)
    with pytest.raises(IncompleteError, match="no vector of an operator"):
        count_families(tmp_path, ROOT / "specs")


# --- what `run --cases --json` writes ---


def written(path: Path, *kills: list[str]) -> Path:
    mutants = [{"name": str(index), "cases": cases} for index, cases in enumerate(kills)]
    path.write_text(json.dumps([{"operator": "Not", "mutants": mutants}]))
    return path


def test_cases_that_alone_kill_a_mutant_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "kills.json", ["a"], ["a", "b"], ["c", "b"], [])
    assert {"Not": frozenset({"a"})} == alone_in(path)


def test_one_killer_of_each_says_nothing_of_the_others(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="--cases"):
        alone_in(written(tmp_path / "kills.json", ["a"], ["b"]))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"operator": "Not"}]'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kills.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"kills\.json"):
        alone_in(path)
