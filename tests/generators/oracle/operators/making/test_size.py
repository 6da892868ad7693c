from __future__ import annotations

import functools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, evaluate
from onnx_conformance.generators.oracle.arith.integers import int64_values
from onnx_conformance.generators.situations.data.element_values import derived_tensor


def size_of(tensor: Tensor) -> int:
    (result,) = evaluate("Size", Call(25, {}, {"data": tensor}))
    assert ("int64", ()) == (result.type, result.shape)
    (value,) = int64_values(result)
    return value


@given(st.lists(st.integers(0, 4), max_size=6))
def test_it_is_the_product_of_the_dimensions(dims: list[int]) -> None:
    expected = functools.reduce(operator.mul, dims, 1)
    assert expected == size_of(Tensor("uint8", tuple(dims), bytes(expected)))


@pytest.mark.parametrize("name", [item.name for item in ELEMENT_TYPES if item.bits != 6])
def test_it_counts_elements_not_bytes(name: str) -> None:
    assert 15 == size_of(derived_tensor(name, (3, 5), "seed"))


def test_a_scalar_has_one_element() -> None:
    assert 1 == size_of(Tensor("bool", (), b"\0"))


@pytest.mark.parametrize("shape", [(0,), (2**62, 0), (0, 2**62, 2**62)])
def test_a_zero_makes_it_none_whatever_the_other_dimensions(shape: tuple[int, ...]) -> None:
    assert 0 == size_of(Tensor("float32", shape, b""))
