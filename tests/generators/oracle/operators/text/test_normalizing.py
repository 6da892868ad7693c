"""The oracle of StringNormalizer: stop words, cases of letters, shapes, and what is open."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

SHARP_I = "ﬁ"  # one letter that is two in upper case


def _normalized(
    items: list[str],
    shape: tuple[int, ...] | None = None,
    readings: dict[str, str] | None = None,
    **attributes: str | int | tuple[str, ...],
) -> Grid:
    data = tuple(item.encode() for item in items)
    call = Call(
        10,
        {"case_change_action": "NONE", "is_case_sensitive": 0, **attributes},
        {"X": Tensor("string", (len(data),) if shape is None else shape, data)},
        "StringNormalizer",
        readings=readings or {},
    )
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return result


def _texts(grid: Grid) -> list[str]:
    return [item.decode() for item in grid.items]


def test_stop_words_go_and_the_others_stay_as_they_are() -> None:
    given = ["b", "A", "", "a\0", "aa"]
    assert ["b", "", "a\0", "aa"] == _texts(_normalized(given, stopwords=("a",)))


def test_a_case_counts_where_it_is_asked_for() -> None:
    kept = _normalized(["Mon", "mon"], stopwords=("mon",), is_case_sensitive=1)
    assert ["Mon"] == _texts(kept)


def test_stop_words_are_looked_for_before_the_case_is_changed() -> None:
    changed = _normalized(
        ["a", "B"], stopwords=("b", "A"), is_case_sensitive=1, case_change_action="LOWER"
    )
    assert ["a", "b"] == _texts(changed)


@pytest.mark.parametrize(("shape", "expected"), [((2,), (1,)), ((1, 2), (1, 1))])
def test_one_empty_string_is_left_of_none(
    shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    left = _normalized(["a", "A"], shape, stopwords=("a",))
    assert (expected, [b""]) == (left.shape, list(left.items))


def test_letters_of_ascii_have_a_case_in_every_locale() -> None:
    assert ["AZ[\0"] == _texts(_normalized(["aZ[\0"], case_change_action="UPPER"))
    assert ["az[\0"] == _texts(_normalized(["aZ[\0"], case_change_action="LOWER"))


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("ascii", f"Aé{SHARP_I}"), ("letter-by-letter", f"AÉ{SHARP_I}"), ("unicode", "AÉFI")],
)
def test_other_letters_are_left_to_the_locale(reading: str, expected: str) -> None:
    with pytest.raises(OpenError, match="letters-of-the-locale"):
        _normalized(["é"], case_change_action="UPPER")
    readings = {"letters-of-the-locale": reading}
    changed = _normalized([f"aé{SHARP_I}"], None, readings, case_change_action="UPPER")
    assert [expected] == _texts(changed)


def test_a_name_of_a_locale_may_be_unknown() -> None:
    assert ["a"] == _texts(_normalized(["a"], None, {"named-locale": "taken"}, locale="C"))
    with pytest.raises(InvalidCallError, match="named-locale"):
        _normalized(["a"], None, {"named-locale": "rejected"}, locale="C")


@pytest.mark.parametrize(("reading", "shape"), [("empty-string", (1, 1)), ("nothing", (1, 0))])
def test_what_comes_of_no_elements_is_open(reading: str, shape: tuple[int, ...]) -> None:
    assert shape == _normalized([], (1, 0), {"nothing-given": reading}).shape


@pytest.mark.parametrize(("reading", "expected"), [("true", ["A"]), ("false", [""])])
def test_a_flag_of_2_is_open(reading: str, expected: list[str]) -> None:
    readings = {"is-case-sensitive-beyond-1": reading}
    assert expected == _texts(
        _normalized(["a", "A"], None, readings, stopwords=("a",), is_case_sensitive=2)
    )
    with pytest.raises(InvalidCallError, match="neither 0 nor 1"):
        _normalized(["a"], None, {"is-case-sensitive-beyond-1": "rejected"}, is_case_sensitive=2)


@pytest.mark.parametrize("shape", [(), (1, 1, 1)])
def test_other_ranks_are_invalid(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError, match="not \\[C\\] or \\[1, C\\]"):
        _normalized(["a"], shape)


def test_two_rows_are_invalid() -> None:
    with pytest.raises(InvalidCallError, match="not \\[C\\] or \\[1, C\\]"):
        _normalized(["a", "b"], (2, 1))


def test_an_unknown_action_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="'upper' is none of"):
        _normalized(["a"], case_change_action="upper")
