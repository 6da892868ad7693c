"""What stays at versions that are not the newest of their class."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.planning.thinning import (
    Place,
    forms_at,
    is_at_last_opset,
    is_varied,
    places,
    stands,
    types_at,
)
from onnx_conformance.generators.specs.model import Case

SPECS = Path(__file__).parents[1] / "specs"
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
    }
    return Case(**{**fields, **changes})  # type: ignore[arg-type]  # fields by name


def share(place: Place, **changes: object) -> float:
    return sum(stands(case(name, **changes), place) for name in IDS) / len(IDS)


def test_versions_have_places_in_their_class() -> None:
    _, (spec,) = read_specs(SPECS, ["relu"])
    expected = {1: Place.LAST, 6: Place.FIRST, 13: Place.BETWEEN, 14: Place.NEWEST}
    assert expected == places(spec, tuple(spec.versions.values()))


@pytest.mark.parametrize("spread", ["classes", "all", "ends"])
@pytest.mark.parametrize("place", [Place.NEWEST, Place.LAST])
def test_every_case_stands_at_the_newest_version_of_a_class(spread: str, place: Place) -> None:
    assert share(place, spread=spread) == 1


def test_one_family_case_in_four_stands_at_the_oldest_and_none_between() -> None:
    assert 0.15 < share(Place.FIRST, spread="classes") < 0.35
    assert share(Place.BETWEEN, spread="classes") == 0


def test_a_thin_case_stands_at_the_newest_version_and_one_in_four_at_older_classes() -> None:
    assert share(Place.NEWEST, spread="thin") == 1
    assert 0.15 < share(Place.LAST, spread="thin") < 0.35
    assert share(Place.FIRST, spread="thin") == 0
    assert share(Place.BETWEEN, spread="thin") == 0
    assert not is_varied(case("it", spread="thin"), Place.NEWEST)


def test_cases_that_are_written_out_stand_at_the_oldest_and_one_in_four_between() -> None:
    assert share(Place.FIRST, spread="all") == 1
    assert 0.15 < share(Place.BETWEEN, spread="all") < 0.35


def test_documented_cases_stand_at_every_version() -> None:
    assert share(Place.BETWEEN, spread="all", documented="test_it") == 1


@pytest.mark.parametrize("sweep", ["types", "types:T2"])
def test_cases_in_every_type_stand_at_every_version(sweep: str) -> None:
    assert share(Place.BETWEEN, spread="all", sweep=(sweep,)) == 1


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


def test_the_last_opset_is_tried_at_the_newest_version_and_for_documented_cases() -> None:
    assert is_at_last_opset(case(), Place.NEWEST)
    assert is_at_last_opset(case(documented="test_it"), Place.BETWEEN)
    others = [name for name in IDS if is_at_last_opset(case(name), Place.LAST)]
    assert 0.15 < len(others) / len(IDS) < 0.35


@pytest.mark.parametrize("changes", [{"kind": "invalid"}, {"spread": "classes"}])
def test_invalid_cases_and_those_of_families_are_at_no_last_opset(
    changes: dict[str, str],
) -> None:
    assert not is_at_last_opset(case(**changes), Place.NEWEST)
