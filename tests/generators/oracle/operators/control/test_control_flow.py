"""The oracle of If: which branch, and what the branches must have in common."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.subgraph import Subgraph

ONE, TWO = (Tensor("uint8", (1,), bytes([item])) for item in (1, 2))


def branch(
    value: Tensor, *, shape: tuple[int | str | None, ...] | None = (1,), kind: str = "uint8"
) -> Subgraph:
    return Subgraph((), ("y",), (kind,), (shape,), lambda _values: (value,))


def called(
    condition: Tensor, then: Subgraph, otherwise: Subgraph, version: int = 11
) -> tuple[object, ...]:
    attributes = {"then_branch": then, "else_branch": otherwise}
    return compute(Call(version, attributes, {"cond": condition}, "If"))


def truth(*values: int) -> Tensor:
    return Tensor("bool", (len(values),), bytes(values))


def test_true_takes_the_one_and_false_the_other() -> None:
    first, second = branch(ONE), branch(TWO)
    assert (ONE,) == called(truth(1), first, second)
    assert (TWO,) == called(truth(0), first, second)


@pytest.mark.parametrize("values", [(), (1, 1)])
def test_a_condition_that_is_not_one_element_is_invalid(values: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError, match="not one bool"):
        called(truth(*values), branch(ONE), branch(TWO))


def test_branches_of_other_types_are_invalid_whichever_is_taken() -> None:
    with pytest.raises(InvalidCallError, match="uint8 in one branch and int8 in the other"):
        called(truth(1), branch(ONE), branch(TWO, kind="int8"))


def test_branches_of_other_counts_are_invalid_whichever_is_taken() -> None:
    two = Subgraph((), ("y", "z"), ("uint8",) * 2, ((1,),) * 2, lambda _values: (ONE, TWO))
    with pytest.raises(InvalidCallError, match="1 and 2 outputs"):
        called(truth(1), branch(ONE), two)


def test_shapes_that_differ_are_invalid_in_version_1_only() -> None:
    other = branch(TWO, shape=(3,))
    with pytest.raises(InvalidCallError, match="in one branch"):
        called(truth(1), branch(ONE), other, version=1)
    assert (ONE,) == called(truth(1), branch(ONE), other)


@pytest.mark.parametrize("shape", [None, (None,), ("n",)])
def test_shapes_that_are_not_known_do_not_differ(shape: tuple[str | None, ...] | None) -> None:
    assert (ONE,) == called(truth(1), branch(ONE), branch(TWO, shape=shape), version=1)
