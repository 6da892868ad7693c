"""Edits leave together what belongs together, so that nearly all of them are permitted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.exploring.constraints import Seen, hangs_together, seen_in
from onnx_conformance.generators.exploring.corpus import bases_of, subjects
from onnx_conformance.generators.exploring.drawing import NotDrawnError
from onnx_conformance.generators.exploring.editing import EditsDrawer
from onnx_conformance.generators.exploring.edits import AttributeEdit, SizeEdit
from onnx_conformance.generators.exploring.elements import reshaped
from onnx_conformance.generators.situations.permitting.permitted import NotPermittedError

if TYPE_CHECKING:
    from onnx_conformance.generators.exploring.calls import DrawnCall

DUE = 0.9
CALLS = 10
PARTS = 12


def base(vector_id: str) -> DrawnCall:
    return bases_of(vector_id.split("/", 1)[0].rpartition("-")[0]).call(vector_id)


def seen(vector_id: str) -> Seen:
    subject = vector_id.split("/", 1)[0]
    bases = bases_of(subject.rpartition("-")[0])
    return seen_in([bases.call(item) for item in sorted(bases.plans[subject])[::8]])


def with_shape(call: DrawnCall, name: str, shape: tuple[int, ...]) -> DrawnCall:
    def changed(item: NamedValue) -> NamedValue:
        assert isinstance(item.value, Tensor)
        return replace(item, value=reshaped(item.value, shape))

    inputs = tuple(changed(item) if item.name == name else item for item in call.inputs)
    return replace(call, inputs=inputs)


ADD = "add-14/types/float32"
CONV = "conv-22/types/float32"


def test_inputs_that_broadcast_go_on_doing_so() -> None:
    call, known = base(ADD), seen(ADD)
    shape = call.inputs[0].value.shape  # type: ignore[union-attr]
    assert hangs_together(call, with_shape(call, "B", (7, *shape)), known)
    assert not hangs_together(call, with_shape(call, "B", (*shape[:-1], 67)), known)


def test_the_ranks_of_a_window_and_of_what_it_slides_over_stay() -> None:
    call = base(CONV)
    shape = next(item.value.shape for item in call.inputs if item.name == "W")  # type: ignore[union-attr]
    assert not hangs_together(call, with_shape(call, "W", (1, *shape)), seen(CONV))


def test_a_size_that_another_input_has_is_not_changed_in_one_alone() -> None:
    call = base(CONV)
    channels = next(item.value.shape[1] for item in call.inputs if item.name == "W")  # type: ignore[union-attr]
    alone = SizeEdit("dimension of W", "", channels, 67, "W").of(call)
    assert not hangs_together(call, alone, seen(CONV))


def test_an_axis_stays_within_the_rank() -> None:
    call = base("softmax-13/types/float32")
    rank = len(call.inputs[0].value.shape)  # type: ignore[union-attr]
    known = seen("softmax-13/types/float32")
    inside, outside = (
        AttributeEdit("attribute axis", "", "axis", "int", axis).of(call) for axis in (-rank, rank)
    )
    assert hangs_together(call, inside, known)
    assert not hangs_together(call, outside, known)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_nine_in_ten_edited_vectors_are_permitted(part: int) -> None:
    drawer = EditsDrawer()
    asked = refused = 0
    for versions in list(subjects().values())[part::PARTS]:
        for index in range(CALLS):
            try:
                call = drawer.draw(versions[0], 7, index)
            except NotDrawnError:
                break
            asked += 1
            try:
                call.reply()
            except NotPermittedError as error:
                refused += error.refusal.value == "invalid"
    assert refused <= (1 - DUE) * asked, f"{refused} of {asked}"
