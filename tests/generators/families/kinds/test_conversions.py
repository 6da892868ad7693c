"""What the family `type_pairs` makes: every pair of types, with values that suit both."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import decode
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.situations.data.conversions import (
    conversion_values,
    has_conversion_values,
)

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Spec


CAST = """\
operator: Cast
element_types: {set_by: {to: T2}}
requirements:
  - id: converts
    since: 13
    text: Elements are converted.
    source: {document: Cast-13, part: Summary}
families:
  - {family: type_pairs, OPTIONS}
"""


def _spec(folder: Path, options: str) -> Spec:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    (folder / "cast.yaml").write_text(CAST.replace("OPTIONS", options), "utf-8")
    _, (spec,) = read_specs(folder)
    return spec


def _numbers(layout: str, source: str, target: str) -> list[object]:
    return [
        decode(source, code)
        for code in conversion_values(layout, source, target)
        if isinstance(code, int)
    ]


def test_each_target_is_a_case_and_each_source_a_type_of_it(tmp_path: Path) -> None:
    cases = _spec(tmp_path, "since: 13, until: 13, covers: [converts]").cases
    assert 14 == len(cases)
    assert 14 == len(cases["to_int8"].types or ())
    assert {"T2": "int8"} == dict(cases["to_int8"].bind)


def test_a_sample_has_so_many_sources_of_each_target(tmp_path: Path) -> None:
    cases = _spec(tmp_path, "since: 13, until: 13, with: {each: 2}").cases
    assert {2} == {len(case.types or ()) for case in cases.values()}
    used = {item for case in cases.values() for item in case.types or ()}
    assert 14 == len(used)


def test_the_requirements_follow_from_the_types(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "since: 19, until: 19")
    assert {"float8-saturates", "bool-to-number", "text-to-float"} == set(
        spec.cases["to_float8e5m2"].covers
    )
    assert "fixed-to-fixed-wraps" in spec.cases["to_int8"].covers
    assert "float8-saturates" in spec.requirements


def test_types_without_such_values_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no pair of these types"):
        _spec(
            tmp_path, "covers: [converts], with: {values: beyond, sources: [bool], targets: [int8]}"
        )


def test_an_unknown_type_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="unknown element type"):
        _spec(tmp_path, "covers: [converts], with: {targets: [float7]}")


def test_values_between_types_hold_what_shows_two_roundings() -> None:
    numbers = _numbers("into", "float64", "float16")
    middle = 1 + Fraction(1, 2**11)
    assert middle in numbers
    assert middle + Fraction(1, 2**52) in numbers


def test_values_into_an_integer_type_are_whole_and_in_range() -> None:
    numbers = _numbers("into", "float32", "int8")
    assert {Fraction(127), Fraction(-128)} <= set(numbers)
    assert {1} == {n.denominator for n in numbers if isinstance(n, Fraction)}


def test_values_beyond_an_integer_type_are_not() -> None:
    assert Fraction(128) in _numbers("beyond", "float32", "int8")
    assert Fraction(127) not in _numbers("beyond", "float32", "int8")


def test_integers_go_into_an_integer_type_without_limits() -> None:
    assert {128, -129, 256} <= set(_numbers("into", "int32", "int8"))


def test_fractions_stay_in_range_whichever_way_they_are_rounded() -> None:
    assert Fraction(1, 2) in _numbers("fractions", "float32", "uint2")
    assert all(
        0 < n < 3 for n in _numbers("fractions", "float32", "uint2") if isinstance(n, Fraction)
    )


def test_texts_suit_the_target() -> None:
    assert "9223372036854775807" in conversion_values("into", "string", "int64")
    assert "128" not in conversion_values("into", "string", "int8")
    assert "-INF" not in conversion_values("into", "string", "float8e8m0")


@pytest.mark.parametrize(
    ("layout", "source", "target", "some"),
    [
        ("into", "float32", "int8", True),
        ("beyond", "int8", "int16", False),
        ("beyond", "int16", "int8", True),
        ("into", "string", "int8", True),
        ("bits", "int8", "int16", False),
    ],
)
def test_whether_there_are_values_is_known_without_all_of_them(
    layout: str, source: str, target: str, *, some: bool
) -> None:
    assert some == has_conversion_values(layout, source, target)
