"""The ids that are kept from one `onnx-vectors list` to the next: fast, and never stale."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from sample_specs import RESHAPE, changed, write_specs

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus import listings
from onnx_conformance.generators.corpus.collecting import collect
from onnx_conformance.generators.corpus.listings import (
    ids_at_hand,
    keys_of,
    remember,
    stems_for,
    vector_ids,
)
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.parallel import make_corpus
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.specs.reading import spec_files

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


# --- ids that nobody waits for ---


@pytest.fixture
def other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/module.py").write_text("one = 1\n", "utf-8")
    monkeypatch.setattr(listings, "_CODE", (tmp_path / "code",))


@pytest.mark.usefixtures("cache")
def test_what_is_known_is_at_hand(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ids_at_hand(specs, "standard")
    assert ({"reshape": tuple(planned(specs))}, ()) == (first.ids, first.earlier)
    forbid_planning(monkeypatch)
    assert first == ids_at_hand(specs, "standard")


@pytest.mark.usefixtures("cache")
def test_ids_that_other_code_made_are_at_hand_and_named_so(
    specs: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ids_at_hand(specs, "standard")
    request.getfixturevalue("other_code")
    with monkeypatch.context() as patch:
        forbid_planning(patch)
        found = ids_at_hand(specs, "standard")
    assert (first.ids, ("reshape",)) == (found.ids, found.earlier)
    assert first.ids == vector_ids(specs, "standard")  # planned anew
    assert first == ids_at_hand(specs, "standard")


@pytest.mark.usefixtures("cache")
def test_the_newest_ids_of_the_same_spec_are_taken(
    specs: Path, cache: Path, request: pytest.FixtureRequest
) -> None:
    ids_at_hand(specs, "standard")
    key = keys_of(specs)["reshape"]
    for age, digit in ((50, "0"), (10, "1"), (20, "2")):
        path = cache / f"reshape.standard.{key[:13]}{digit * 24}.txt"
        path.write_text(f"{key[:13]}{digit * 64}\nreshape-1/{digit}\n# end\n", "utf-8")
        (kept,) = cache.glob(f"reshape.standard.{key[:37]}.txt")
        written = kept.stat().st_mtime
        os.utime(path, (written - age, written - age))
    (cache / f"reshape.standard.{key[:37]}.txt").unlink()
    request.getfixturevalue("other_code")
    assert {"reshape": ("reshape-1/1",)} == ids_at_hand(specs, "standard").ids


@pytest.mark.usefixtures("cache", "other_code")
def test_a_spec_that_was_edited_is_planned_where_its_ids_are_asked_for(specs: Path) -> None:
    ids_at_hand(specs, "standard")
    path = specs / "reshape.yaml"
    path.write_text(changed("id: zero\n", "id: zeros\n", path.read_text("utf-8")), "utf-8")
    found = ids_at_hand(specs, "standard")
    assert ({"reshape": tuple(planned(specs))}, ()) == (found.ids, found.earlier)


@pytest.mark.usefixtures("cache")
def test_a_clone_in_which_nothing_was_listed_has_what_its_manifests_list(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = collect(make_corpus(specs), spec_files(specs)[0], "standard", lambda _: None)
    for name, content in kept.core_files().items():
        path = specs.parent / "vectors" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    monkeypatch.setenv("ONNX_CONFORMANCE_CACHE", str(specs.parent / "empty"))
    expected = planned(specs)
    with monkeypatch.context() as patch:
        forbid_planning(patch)
        found = ids_at_hand(specs, "standard")
    assert (sorted(expected), ("reshape",)) == (sorted(found.ids["reshape"]), found.earlier)
    path = specs.parent / "vectors/standard/manifests/reshape-1.json"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")  # no longer what manifest.json says
    assert ({"reshape": tuple(expected)}, ()) == tuple(
        vars(ids_at_hand(specs, "standard")).values()
    )


def _list(*words: str | Path) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, ["list", *map(str, words)])


@pytest.mark.usefixtures("cache")
def test_the_command_says_where_ids_may_be_out_of_date(
    specs: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = "".join(f"{item}\n" for item in planned(specs))
    assert 0 == _list("--specs", specs)
    assert (expected, "") == capsys.readouterr()
    request.getfixturevalue("other_code")
    assert 0 == _list("--specs", specs)
    out, err = capsys.readouterr()
    assert expected == out
    assert "onnx-vectors: of 1 of 1 specs these are the ids as they were made last" in err
    assert 0 == _list("--exact", "--specs", specs)
    assert (expected, "") == capsys.readouterr()


def test_a_spec_that_is_no_utf_8_is_refused_where_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "abs.yaml").write_bytes(b"\xff\xfe\x00")
    assert ("abs",) == stems_for(tmp_path, ["abs"], ["abs-1/*"])
