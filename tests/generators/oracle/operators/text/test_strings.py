"""The oracles of StringConcat and StringSplit: bytes, delimiters, whitespace, and what is open."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _strings(*items: bytes, shape: tuple[int, ...] | None = None) -> Tensor:
    return Tensor("string", (len(items),) if shape is None else shape, items)


def _joined(first: Tensor, second: Tensor, **readings: str) -> list[bytes]:
    call = Call(
        20,
        {},
        {"X": first, "Y": second},
        "StringConcat",
        readings={key.replace("_", "-"): value for key, value in readings.items()},
    )
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def _split(
    items: Tensor, readings: dict[str, str] | None = None, **attributes: str | int
) -> tuple[Grid, Grid]:
    call = Call(20, attributes, {"X": items}, "StringSplit", readings=readings or {})
    parts, counts = compute(call)
    assert isinstance(parts, Grid)
    assert isinstance(counts, Grid)
    return parts, counts


def _rows(text: bytes, readings: dict[str, str] | None = None, **attributes: str | int) -> object:
    return list(_split(_strings(text), readings, **attributes)[0].items)


def test_strings_are_joined_byte_for_byte() -> None:
    assert [b"a\0b", b"a\0\xcc\x81"] == _joined(_strings(b"a\0"), _strings(b"b", b"\xcc\x81"))


def test_whether_other_bytes_than_utf_8_are_taken_is_open() -> None:
    with pytest.raises(OpenError, match="not-utf-8"):
        _joined(_strings(b"\xff"), _strings(b""))
    assert [b"\xff"] == _joined(_strings(b"\xff"), _strings(b""), not_utf_8="bytes")
    with pytest.raises(InvalidCallError):
        _joined(_strings(b"\xff"), _strings(b""), not_utf_8="rejected")


def test_delimiters_are_found_from_the_left_and_do_not_overlap() -> None:
    assert [b"", b"", b"a"] == _rows(b"aaaaa", delimiter="aa")


def test_shorter_rows_are_filled_up_and_counted() -> None:
    parts, counts = _split(_strings(b"a,b,c", b"d"), delimiter=",")
    assert ((2, 3), [b"a", b"b", b"c", b"d", b"", b""]) == (parts.shape, list(parts.items))
    assert ((2,), [3, 1]) == (counts.shape, list(counts.items))


def test_a_scalar_gets_one_axis() -> None:
    parts, counts = _split(_strings(b"a b", shape=()))
    assert ((2,), ()) == (parts.shape, counts.shape)


def test_runs_of_whitespace_separate_and_those_at_the_ends_do_not() -> None:
    assert [b"a", b"b"] == _rows(b"  a   b ")


def test_after_maxsplit_the_rest_is_kept_as_it_is() -> None:
    assert [b"a", b"b,,c"] == _rows(b"a,b,,c", delimiter=",", maxsplit=1)
    assert [b"a", b"b  c"] == _rows(b" a  b  c", maxsplit=1)
    assert [b"a b"] == _rows(b" a b", maxsplit=0)


@pytest.mark.parametrize(("reading", "rest"), [("removed", b"b"), ("kept", b"b ")])
def test_whitespace_behind_the_rest_is_open(reading: str, rest: bytes) -> None:
    assert [b"a", rest] == _rows(b"a b ", {"whitespace-behind-the-rest": reading}, maxsplit=1)


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ("unicode", [b"a", b"b", b"c"]),
        ("ascii", [b"a", "b\u3000c".encode()]),
        ("space", ["a\tb\u3000c".encode()]),
    ],
)
def test_what_whitespace_is_is_open(reading: str, words: list[bytes]) -> None:
    assert words == _rows("a\tb\u3000c".encode(), {"whitespace": reading})


@pytest.mark.parametrize(("reading", "count"), [("one", 1), ("none", 0)])
def test_the_substrings_of_nothing_are_open(reading: str, count: int) -> None:
    _, counts = _split(_strings(b""), {"nothing-to-split": reading}, delimiter=",")
    assert [count] == list(counts.items)


@pytest.mark.parametrize(("reading", "shape"), [("added", (0, 0)), ("left-out", (0,))])
def test_the_axis_of_nothing_is_open(reading: str, shape: tuple[int, ...]) -> None:
    assert shape == _split(_strings(), {"axis-of-nothing": reading})[0].shape


def test_a_negative_maxsplit_is_no_limit_or_refused() -> None:
    assert [b"a", b"b"] == _rows(b"a b", {"negative-maxsplit": "no-limit"}, maxsplit=-1)
    with pytest.raises(InvalidCallError):
        _rows(b"a b", {"negative-maxsplit": "rejected"}, maxsplit=-1)
