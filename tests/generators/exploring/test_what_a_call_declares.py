"""What a drawn call is refused for before a runtime sees it: its form, and types that disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue
from onnx_conformance.generators.exploring.corpus import bases_of
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.situations.permitting.permitted import (
    NotPermittedError,
    NotPresentedError,
)
from onnx_conformance.generators.specs.model import GivenAttribute

if TYPE_CHECKING:
    from onnx_conformance.generators.exploring.calls import DrawnCall


def base(vector_id: str) -> DrawnCall:
    return bases_of(vector_id.rpartition("-")[0]).call(vector_id)


def drawn(call: DrawnCall, form: str, **attributes: float) -> DrawnCall:
    """The call in a form, with these attributes besides."""
    kept = tuple(item for item in call.attributes if item.name not in attributes)
    given = tuple(GivenAttribute(name, value, "float") for name, value in attributes.items())
    return call.but(form=form, attributes=(*kept, *given))


@pytest.mark.parametrize("form", ["same_seed", "other_seed"])
def test_two_nodes_with_seeds_are_not_of_a_result_that_is_open(form: str) -> None:
    call = base("randomuniform-22/seed/float32")
    assert drawn(call, form, seed=3.0).made("explore/x").vector.laws
    with pytest.raises(NotPresentedError):
        drawn(call, form, seed=3.0, low=7.0, high=-7.0).made("explore/x")


def test_other_seeds_do_not_differ_where_one_outcome_is_certain() -> None:
    call = base("multinomial-22/one_outcome_for_each_row/float32")
    assert drawn(call, "same_seed", seed=3.0).made("explore/x").vector.laws
    with pytest.raises(NotPresentedError):
        drawn(call, "other_seed", seed=3.0).made("explore/x")


@pytest.mark.parametrize("seed", [-1.0, 0.0, 0.5, 3e38])
def test_other_seeds_do_not_differ_where_generators_may_start_from_one_number(seed: float) -> None:
    """That of onnxruntime starts from 1 for each of -1, 0, 0.5 and 1."""
    call = base("randomuniform-22/seed/float32")
    assert drawn(call, "same_seed", seed=seed).made("explore/x").vector.laws
    with pytest.raises(NotPresentedError):
        drawn(call, "other_seed", seed=seed).made("explore/x")


def test_what_an_empty_sequence_is_declared_of_is_what_goes_into_it() -> None:
    call = base("sequenceinsert-11/into_empty/int64")
    number = NamedValue("tensor", tensor_of(Grid("float32", (), [Fraction(1)])))
    others = tuple(item for item in call.inputs if item.name not in ("tensor", "input_sequence"))
    empty = NamedValue("input_sequence", SequenceValue(()))
    whole = call.but(inputs=(empty, number, *others), types={**call.types, "S": "seq(float32)"})
    assert whole.made("explore/x").vector
    with pytest.raises(NotPermittedError, match="float32 does not go into") as error:
        whole.but(types={**whole.types, "S": "seq(int64)"}).made("explore/x")
    assert error.value.refusal is Refusal.INVALID
