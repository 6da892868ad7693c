"""What stays at versions that are not the newest of their class."""

from __future__ import annotations

import pytest
from places import SPECS

from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.planning.thinning import (
    Place,
    forms_at,
    is_in_each_type,
    is_paired,
    is_varied,
    later_opset,
    places,
    stands,
    types_at,
)
from onnx_conformance.generators.specs.model import Case, OperatorVersion

IDS = [f"case_{index}" for index in range(200)]


def case(name: str = "case_0", **changes: object) -> Case:
    fields: dict[str, object] = {
        "id": name,
        "kind": "valid",
        "line": 1,
        "purpose": "",
        "covers": ("it",),
        "documented": None,
        "attributes": (),
        "examples": (),
        "spread": "everywhere",
    }
    return Case(**{**fields, **changes})  # type: ignore[arg-type]  # fields by name


def share(place: Place, **changes: object) -> float:
    return sum(stands(case(name, **changes), place) for name in IDS) / len(IDS)


def test_versions_have_places_in_their_class() -> None:
    _, (spec,) = read_specs(SPECS, ["relu"])
    expected = {1: Place.LAST, 6: Place.FIRST, 13: Place.BETWEEN, 14: Place.NEWEST}
    assert expected == places(spec, tuple(spec.versions.values()))


@pytest.mark.parametrize("spread", ["classes", "everywhere", "ends"])
@pytest.mark.parametrize("place", [Place.NEWEST, Place.LAST])
def test_every_case_stands_at_the_newest_version_of_a_class(spread: str, place: Place) -> None:
    assert share(place, spread=spread) == 1


@pytest.mark.parametrize("place", list(Place))
def test_a_case_of_each_version_stands_at_each(place: Place) -> None:
    assert share(place, spread="versions") == 1


def test_a_case_of_each_version_is_tried_in_no_further_type_or_form() -> None:
    assert not is_varied(case("it", spread="versions"), Place.NEWEST)


def test_one_family_case_in_four_stands_at_the_oldest_and_none_between() -> None:
    assert 0.15 < share(Place.FIRST, spread="classes") < 0.35
    assert share(Place.BETWEEN, spread="classes") == 0


def test_a_thin_case_stands_at_the_newest_version_and_one_in_four_at_older_classes() -> None:
    assert share(Place.NEWEST, spread="newest") == 1
    assert 0.15 < share(Place.LAST, spread="newest") < 0.35
    assert share(Place.FIRST, spread="newest") == 0
    assert share(Place.BETWEEN, spread="newest") == 0
    assert not is_varied(case("it", spread="newest"), Place.NEWEST)


def test_cases_that_are_written_out_stand_at_the_oldest_and_one_in_four_between() -> None:
    assert share(Place.FIRST, spread="everywhere") == 1
    assert 0.15 < share(Place.BETWEEN, spread="everywhere") < 0.35


def test_documented_cases_stand_at_every_version() -> None:
    assert share(Place.BETWEEN, spread="everywhere", documented="test_it") == 1


@pytest.mark.parametrize("sweep", ["types", "types:T2"])
def test_cases_in_every_type_stand_at_every_version(sweep: str) -> None:
    assert share(Place.BETWEEN, spread="everywhere", sweep=(sweep,)) == 1


def test_every_type_outside_the_list_is_tried_at_the_newest_version_and_the_first_at_others() -> (
    None
):
    types = [f"type_{index}" for index in range(100)]
    outside = case(kind="invalid", spread="ends", sweep=("types",))
    assert types == types_at(outside, Place.NEWEST, types)
    older = types_at(outside, Place.LAST, types)
    assert "type_0" == older[0]
    assert 15 < len(older) < 35


def test_forms_are_swept_at_the_newest_version_and_one_in_four_at_the_oldest() -> None:
    forms = ["static", *(f"form_{index}" for index in range(100))]
    presented = case(spread="ends", sweep=("forms",))
    assert forms == forms_at(presented, Place.NEWEST, forms)
    for place in (Place.FIRST, Place.LAST):
        older = forms_at(presented, place, forms)
        assert "static" == older[0]
        assert 15 < len(older) < 35


def test_between_the_ends_of_a_class_there_is_the_plain_form_alone() -> None:
    assert ["static"] == forms_at(case(), Place.BETWEEN, ["static", "constant", "chained"])


def later(name: str = "case_0", place: Place = Place.NEWEST, **changes: object) -> int | None:
    version = OperatorVersion(13, 25, {}, (), (), {})
    return later_opset("abs-13", case(name, **changes), place, version)


@pytest.mark.parametrize("place", list(Place))
def test_documented_cases_are_tried_at_the_last_opset_of_each_version(place: Place) -> None:
    assert 25 == later(place=place, documented="test_it")


def test_cases_of_the_newest_version_are_tried_at_each_of_its_opsets_among_them() -> None:
    assert set(range(14, 26)) == {later(name) for name in IDS}


def test_one_case_in_four_of_an_older_version_is_tried_at_a_later_opset() -> None:
    tried = [name for name in IDS if later(name, Place.LAST) is not None]
    assert 0.15 < len(tried) / len(IDS) < 0.35


def test_one_invalid_case_in_thirty_two_is_tried_at_the_last_opset() -> None:
    found = [later(name, kind="invalid") for name in IDS]
    assert {None, 25} == set(found)
    assert 0.01 < found.count(25) / len(IDS) < 0.06


def test_a_newer_opset_moves_few_cases_and_those_to_itself() -> None:
    newer = OperatorVersion(13, 26, {}, (), (), {})
    moved = {
        later_opset("abs-13", case(name), Place.NEWEST, newer)
        for name in IDS
        if later_opset("abs-13", case(name), Place.NEWEST, newer) != later(name)
    }
    assert {26} == moved


@pytest.mark.parametrize("changes", [{"kind": "latitude"}, {"spread": "classes"}])
def test_latitude_cases_and_those_of_families_are_at_no_later_opset(
    changes: dict[str, str],
) -> None:
    assert later(**changes) is None


def test_a_version_of_one_opset_has_no_later_one() -> None:
    version = OperatorVersion(13, 13, {}, (), (), {})
    assert later_opset("abs-13", case(), Place.NEWEST, version) is None


def test_a_list_of_types_is_taken_at_the_newest_version() -> None:
    listed = case(types=("uint8", "bool"))
    assert [Place.NEWEST] == [place for place in Place if is_in_each_type(listed, place)]


def test_a_sweep_of_types_is_taken_everywhere() -> None:
    assert all(is_in_each_type(case(sweep=("types",)), place) for place in Place)


def test_pairs_are_made_at_the_newest_version() -> None:
    swept = case(sweep=("types", "pairs"))
    assert [Place.NEWEST] == [place for place in Place if is_paired(swept, place)]
