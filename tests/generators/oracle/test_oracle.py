from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, evaluate
from onnx_conformance.generators.oracle.arith.integers import (
    int64_scalar,
    int64_tensor,
    int64_values,
)

INT64 = st.integers(-(2**63), 2**63 - 1)


def test_an_operator_without_an_oracle_is_named() -> None:
    with pytest.raises(BadInputError) as caught:
        evaluate("Unheard", Call(1, {}, {}))
    expected = (
        "operator 'Unheard' has no oracle: write one in generators/oracle/operators/ and name its"
        " module in oracle/index.py"
    )
    assert expected == str(caught.value)


def test_an_oracle_is_found_by_the_operators_name_in_lower_case() -> None:
    scalar = Tensor("float32", (), b"\0\0\0\0")
    assert (int64_scalar(1),) == evaluate("Size", Call(13, {}, {"data": scalar}))


@given(st.lists(INT64))
def test_integers_come_back(values: list[int]) -> None:
    assert tuple(values) == int64_values(int64_tensor(values))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_an_integer_beyond_int64_is_not_wrapped(value: int) -> None:
    with pytest.raises(OverflowError):
        int64_scalar(value)
    with pytest.raises(OverflowError):
        int64_tensor([value])


def test_a_scalar_and_a_vector_of_one_differ() -> None:
    assert () == int64_scalar(3).shape
    assert (1,) == int64_tensor([3]).shape


def test_strings_are_no_integers() -> None:
    with pytest.raises(TypeError, match="strings are not int64"):
        int64_values(Tensor("string", (1,), (b"1",)))


def test_an_invalid_call_is_no_error_of_ours() -> None:
    # What an oracle says of a call must never be taken for a fault of the program.
    assert not issubclass(InvalidCallError, (BadInputError, ValueError, KeyError))
