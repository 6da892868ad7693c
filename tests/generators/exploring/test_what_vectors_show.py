"""What holds in all vectors of an operator goes on holding after an edit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.exploring.constraints.domains import Domains, numbers_in
from onnx_conformance.generators.exploring.constraints.presence import Presence, gathered
from onnx_conformance.generators.exploring.constraints.relations import Relations, related
from onnx_conformance.generators.exploring.corpus import bases_of
from onnx_conformance.generators.exploring.edits import AbsentEdit, AttributeEdit, SizeEdit
from onnx_conformance.generators.oracle.arith.grid import tensor_of_numbers
from onnx_conformance.generators.oracle.arith.numbers import INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from onnx_conformance.generators.exploring.calls import DrawnCall
    from onnx_conformance.generators.oracle.arith.numbers import Number


@cache
def known(slug: str) -> tuple[Relations, Presence, Domains]:
    bases = bases_of(slug)
    every = [bases.call(item) for plans in bases.plans.values() for item in sorted(plans)]
    return related(every), gathered(every), numbers_in(every)


def base(vector_id: str) -> DrawnCall:
    return bases_of(vector_id.split("/", 1)[0].rpartition("-")[0]).call(vector_id)


def with_number(call: DrawnCall, name: str, number: Number) -> DrawnCall:
    def changed(item: NamedValue) -> NamedValue:
        assert isinstance(item.value, Tensor)
        count = item.value.element_count
        value = tensor_of_numbers(item.value.type, item.value.shape, [number] * count)
        return replace(item, value=value)

    inputs = tuple(changed(item) if item.name == name else item for item in call.inputs)
    return replace(call, inputs=inputs)


STATE = "causalconvwithstate-27/plain/float32"
HEADS = "linearattention-27/linear_heads/float32"
PAST = "attention-25/past_of_two/float32"
RULED = "linearattention-27/default_update_rule/float32"
CACHED = "rotaryembedding-23/packed/float32"


def test_a_state_is_as_long_as_the_window_leaves_over() -> None:
    call = base(STATE)
    length = next(i.value.shape[-1] for i in call.inputs if i.name == "past_state")  # type: ignore[union-attr]
    longer = SizeEdit("", "", length, length + 2, "past_state").of(call)
    assert not known("causalconvwithstate")[0].kept(call, longer)
    assert known("causalconvwithstate")[0].kept(call, call)


def test_heads_go_on_dividing_sizes() -> None:
    call = base(HEADS)
    heads = AttributeEdit("", "", "kv_num_heads", "int", 7).of(call)
    assert not known("linearattention")[0].kept(call, heads)


@pytest.mark.parametrize("name", ["past_key", "past_value"])
def test_what_is_there_together_in_all_vectors_is_not_there_alone(name: str) -> None:
    call = base(PAST)
    one = AbsentEdit("", "", name).of(call)
    none = AbsentEdit("", "", "past_value").of(AbsentEdit("", "", "past_key").of(call))
    assert not known("attention")[1].kept(call, one)
    assert known("attention")[1].kept(call, none)


def test_outputs_that_are_asked_for_together_are_not_asked_for_alone() -> None:
    call = base(PAST)
    alone = replace(call, requested=("Y", "present_key"))
    assert not known("attention")[1].kept(replace(call, requested=("Y",)), alone)


def test_a_word_that_needs_an_input_keeps_it() -> None:
    call = base(RULED)
    assert not known("linearattention")[1].kept(call, AbsentEdit("", "", "decay").of(call))


def test_an_input_that_is_left_out_leaves_ranks_as_they_are_without_it() -> None:
    call = base(CACHED)
    without = AbsentEdit("", "", "position_ids").of(call)
    assert not known("rotaryembedding")[1].kept(call, without)


@pytest.mark.parametrize(
    ("vector_id", "name", "number"),
    [
        ("range-11/fractions/float32", "delta", Fraction(-7)),
        ("nonmaxsuppression-11/touching/float32", "iou_threshold", Fraction(1)),
        ("maxroipool-22/inner/float32", "X", INF),
    ],
)
def test_numbers_as_some_vector_has_them_are_drawn(
    vector_id: str, name: str, number: Number
) -> None:
    call = base(vector_id)
    assert numbers(vector_id).kept(call, with_number(call, name, number))


@pytest.mark.parametrize(
    ("vector_id", "name", "number"),
    [
        ("range-11/fractions/float32", "delta", Fraction(0)),
        ("range-11/fractions/float32", "delta", INF),
        ("nonmaxsuppression-11/touching/float32", "iou_threshold", Fraction(2)),
        ("nonmaxsuppression-11/touching/float32", "scores", INF),
        ("maxroipool-22/inner/float32", "rois", INF),
    ],
)
def test_numbers_that_tell_how_stay_what_they_are_in_all_vectors(
    vector_id: str, name: str, number: Number
) -> None:
    call = base(vector_id)
    assert not numbers(vector_id).kept(call, with_number(call, name, number))


def numbers(vector_id: str) -> Domains:
    return known(vector_id.split("/", 1)[0].rpartition("-")[0])[2]
