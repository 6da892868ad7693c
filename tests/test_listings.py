"""The ids that are kept from one `onnx-vectors list` to the next: fast, and never stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_specs import RESHAPE, changed, write_specs

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus import listings
from onnx_conformance.generators.corpus.listings import keys_of, remember, stems_for, vector_ids
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.parallel import make_corpus

if TYPE_CHECKING:
    from pathlib import Path

SECOND = """\
operator: Abs
versions:
  1:
    types: {T: floats}
    inputs: {X: T}
    outputs: {Y: T}
    attributes: {}
requirements:
  - id: absolute
    text: The sign is taken away.
    source: {document: Abs-1, part: Summary}
cases:
  - id: negative
    covers: [absolute]
    inputs: {X: {values: [-1.0]}}
    outputs: {Y: {values: [1.0]}}
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ONNX_CONFORMANCE_CACHE", str(folder))
    return folder / "listings"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "specs")


def planned(specs: Path, profile: str = "standard") -> list[str]:
    return [plan.id for plan in plan_corpus(specs, profile).plans]


def listed(specs: Path, profile: str = "standard") -> list[str]:
    return [item for ids in vector_ids(specs, profile).values() for item in ids]


def forbid_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*call: object) -> tuple[str, ...]:
        raise AssertionError(f"planned again: {call}")

    monkeypatch.setattr(listings, "_planned", refuse)


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_the_ids_are_those_of_the_plan(cache: Path, specs: Path, profile: str) -> None:
    assert planned(specs, profile) == listed(specs, profile)
    assert 1 == len(list(cache.iterdir()))


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_the_second_time_nothing_is_planned(
    cache: Path, specs: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = listed(specs, profile)
    forbid_planning(monkeypatch)
    assert first == listed(specs, profile)
    assert cache.is_dir()


@pytest.mark.parametrize("profile", ["core", "standard"])
def test_a_generation_leaves_the_ids_behind(
    cache: Path, specs: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(make_corpus(specs))
    assert cache.is_dir()
    expected = planned(specs, profile)
    forbid_planning(monkeypatch)
    assert expected == listed(specs, profile)


def test_a_generation_of_some_vectors_leaves_nothing_behind(cache: Path, specs: Path) -> None:
    list(make_corpus(specs, selection=["reshape-14/zero/*"]))
    assert not cache.exists()


@pytest.mark.parametrize("name", ["reshape.yaml", "types.yaml", "corpus.yaml"])
def test_an_edit_of_what_decides_the_ids_is_seen(specs: Path, name: str) -> None:
    before = keys_of(specs)
    path = specs / name
    path.write_text(path.read_text("utf-8") + "# edited\n", "utf-8")
    assert before != keys_of(specs)


def test_a_case_that_is_added_is_listed(cache: Path, specs: Path) -> None:
    before = listed(specs)
    path = specs / "reshape.yaml"
    path.write_text(changed("id: zero\n", "id: zeros\n", path.read_text("utf-8")), "utf-8")
    assert planned(specs) == listed(specs)
    assert before != listed(specs)
    assert cache.is_dir()


def test_an_edit_of_one_spec_plans_that_operator_alone(
    cache: Path, specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (specs / "other.yaml").write_text(SECOND, "utf-8")
    listed(specs)
    (specs / "other.yaml").write_text(f"{SECOND}# edited\n", "utf-8")
    calls: list[str] = []
    plan = listings._planned  # noqa: SLF001  what is counted

    def count(folder: Path, stem: str, profile: str) -> tuple[str, ...]:
        calls.append(stem)
        return plan(folder, stem, profile)

    monkeypatch.setattr(listings, "_planned", count)
    listed(specs)
    assert ["other"] == calls
    assert cache.is_dir()


@pytest.mark.usefixtures("cache")
def test_our_own_code_decides_too(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = keys_of(specs)
    code = tmp_path / "code"
    code.mkdir()
    (code / "module.py").write_text("one = 1\n", "utf-8")
    monkeypatch.setattr(listings, "_CODE", (code,))
    other = keys_of(specs)
    (code / "module.py").write_text("one = 2\n", "utf-8")
    assert 3 == len({before["reshape"], other["reshape"], keys_of(specs)["reshape"]})


def test_a_spec_that_was_edited_while_it_was_planned_is_not_kept(cache: Path, specs: Path) -> None:
    keys = keys_of(specs)
    ids = {"reshape": tuple(planned(specs))}
    path = specs / "reshape.yaml"
    path.write_text(path.read_text("utf-8") + "# edited\n", "utf-8")
    remember(specs, keys, {"standard": ids})
    assert [] == list(cache.iterdir())


@pytest.mark.parametrize("spoil", [slice(0, -1), slice(0, 40), slice(10, None), slice(0, 0)])
def test_a_file_that_is_not_whole_is_not_believed(cache: Path, specs: Path, spoil: slice) -> None:
    expected = listed(specs)
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[spoil])
    assert expected == listed(specs)


def test_only_the_newest_listings_stay(cache: Path, specs: Path) -> None:
    path = specs / "reshape.yaml"
    text = path.read_text("utf-8")
    for number in range(12):
        path.write_text(f"{text}# {number}\n", "utf-8")
        listed(specs)
    assert 8 == len(list(cache.iterdir()))


def test_a_cache_that_cannot_be_written_costs_time_alone(
    tmp_path: Path, specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("ONNX_CONFORMANCE_CACHE", str(tmp_path / "file"))
    assert planned(specs) == listed(specs)


def test_without_a_place_for_a_cache_nothing_is_kept(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(_: object) -> Path:
        raise BadInputError("there is no home folder")

    monkeypatch.setattr(listings, "cache_folder", nowhere)
    assert planned(specs) == listed(specs)


@pytest.mark.usefixtures("cache")
def test_two_specs_of_one_operator_are_refused_every_time(specs: Path) -> None:
    (specs / "copy.yaml").write_text(RESHAPE, "utf-8")
    for _ in range(2):
        with pytest.raises(BadInputError, match="operator 'reshape' has a spec in"):
            vector_ids(specs, "standard")


@pytest.mark.parametrize(
    ("pattern", "stems"),
    [
        ("abs-1/*", ("other",)),
        ("Abs-1", ("other",)),
        ("reshape-1?/*", ("reshape",)),
        ("*/zero_dim", ("other", "reshape")),
        ("abs/*", ()),
        ("ab*", ("other",)),
    ],
)
def test_a_pattern_asks_for_the_specs_of_which_it_may_take_a_vector(
    pattern: str, stems: tuple[str, ...], specs: Path
) -> None:
    (specs / "other.yaml").write_text(SECOND, "utf-8")
    assert stems == stems_for(specs, ("other", "reshape"), (pattern,))


def test_a_spec_that_does_not_say_on_a_line_what_it_is_of_is_asked_for(specs: Path) -> None:
    (specs / "other.yaml").write_text(SECOND.replace("operator: Abs", "operator:\n  Abs"), "utf-8")
    assert ("other",) == stems_for(specs, ("other", "reshape"), ("neg-1/*",))


@pytest.mark.usefixtures("cache")
def test_with_a_pattern_other_operators_are_not_planned(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (specs / "other.yaml").write_text(SECOND, "utf-8")
    found = vector_ids(specs, "standard", selection=("abs-*",))
    forbid_planning(monkeypatch)
    assert found == vector_ids(specs, "standard", selection=("abs-1/*",))
    assert ["other"] == list(found)
