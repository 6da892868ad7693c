"""Attributes that are 0 or 1, and what becomes of another number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.flags import is_one, is_set
from onnx_conformance.generators.oracle.registry import Call

if TYPE_CHECKING:
    from collections.abc import Callable


def call(value: int | None, **readings: str) -> Call:
    attributes = {} if value is None else {"some": value}
    return Call(
        1, attributes, {}, readings={key.replace("_", "-"): it for key, it in readings.items()}
    )


@pytest.mark.parametrize("read", [is_one, is_set])
def test_1_is_yes_and_0_is_no_and_the_default_counts_where_none_is_given(
    read: Callable[..., bool],
) -> None:
    assert [True, False] == [read(call(value), "some") for value in (1, 0)]
    assert [True, False] == [read(call(None), "some", value) for value in (1, 0)]


@pytest.mark.parametrize("value", [2, -1])
def test_another_number_is_invalid_where_the_page_permits_two(value: int) -> None:
    with pytest.raises(InvalidCallError, match=f"some is {value}, neither 0 nor 1"):
        is_one(call(value), "some")


def test_another_number_is_open_where_the_page_says_nothing() -> None:
    with pytest.raises(OpenError) as caught:
        is_set(call(2), "some")
    assert ("some-beyond-1", ("yes", "no", "rejected")) == (
        caught.value.question,
        caught.value.readings,
    )
    assert is_set(call(2, some_beyond_1="yes"), "some")
    assert not is_set(call(2, some_beyond_1="no"), "some")
    with pytest.raises(InvalidCallError, match="some is 2, neither 0 nor 1"):
        is_set(call(2, some_beyond_1="rejected"), "some")


def test_question_and_readings_have_names_of_their_own() -> None:
    asked = call(3, which="last")
    assert is_set(asked, "some", question="which", readings=("last", "first"))
