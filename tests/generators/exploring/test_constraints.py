"""Edits leave together what belongs together, so that nearly all of them are permitted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.exploring.constraints.fitting import hangs_together
from onnx_conformance.generators.exploring.constraints.seen import Seen, seen_in
from onnx_conformance.generators.exploring.corpus import bases_of, subjects
from onnx_conformance.generators.exploring.drawing import NotDrawnError
from onnx_conformance.generators.exploring.editing import EditsDrawer
from onnx_conformance.generators.exploring.edits import AttributeEdit, SizeEdit, TypeEdit
from onnx_conformance.generators.exploring.elements import reshaped
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
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
SPLIT = "split-18/columns_of_two_lengths/float32"
BITCAST = "bitcast-26/float32_to_int32/float32-int32"
BLOCKS = "spacetodepth-13/blocksize_3/float32"
BLOCKED = "quantizelinear-28/blocked/float32"
ADAM = "ai.onnx.preview.training.adam-1/count_1/float32"
TOPK = "topk-11/all/float32"


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


def with_attribute(call: DrawnCall, name: str, kind: str, value: object) -> DrawnCall:
    return AttributeEdit(f"attribute {name}", "", name, kind, value).of(call)  # type: ignore[arg-type]


def test_lengths_go_on_making_up_the_axis_that_they_split() -> None:
    call = base(SPLIT)
    known = seen(SPLIT)
    lengths = next(item.value for item in call.inputs if item.name == "split")
    assert isinstance(lengths, Tensor)
    first, *others = grid_of(lengths).items
    changed = tensor_of(Grid(lengths.type, lengths.shape, [first + 1, *others]))
    assert not hangs_together(call, with_input(call, "split", changed), known)


def with_input(call: DrawnCall, name: str, value: Tensor) -> DrawnCall:
    inputs = tuple(
        replace(item, value=value) if item.name == name else item for item in call.inputs
    )
    return replace(call, inputs=inputs)


def test_types_keep_their_width_where_all_vectors_do() -> None:
    call, known = base(BITCAST), seen(BITCAST)
    types = [TypeEdit("type T1", item, "T1", item).of(call).bound() for item in ("int32", "int8")]
    assert [True, False] == [hangs_together(call, item, known) for item in types]


def test_blocks_go_on_dividing_the_sizes() -> None:
    call, known = base(BLOCKS), seen(BLOCKS)
    shape = call.inputs[0].value.shape  # type: ignore[union-attr]
    assert not hangs_together(call, with_shape(call, "input", (*shape[:-1], 7)), known)


def test_a_block_of_0_divides_nothing() -> None:
    call, known = base(BLOCKED), seen(BLOCKED)
    none = AttributeEdit("attribute block_size", "0", "block_size", "int", 0).of(call)
    shape = none.inputs[0].value.shape  # type: ignore[union-attr]
    assert hangs_together(none, with_shape(none, "x", (*shape[:-1], shape[-1])), known)


def test_a_variadic_input_has_as_many_values_as_in_some_vector() -> None:
    call, known = base(ADAM), seen(ADAM)
    fewer = replace(call, inputs=call.inputs[:-1])
    assert not hangs_together(call, fewer, known)


def test_no_more_elements_are_asked_for_than_there_are() -> None:
    call, known = base(TOPK), seen(TOPK)
    shape = call.inputs[0].value.shape  # type: ignore[union-attr]
    assert not hangs_together(call, with_shape(call, "X", (0,) * len(shape)), known)


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
