"""An edit is drawn together with what follows from it, and is permitted then."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.exploring import editing
from onnx_conformance.generators.exploring.constraints.fitting import hangs_together
from onnx_conformance.generators.exploring.constraints.lists import list_of
from onnx_conformance.generators.exploring.constraints.mending import mended
from onnx_conformance.generators.exploring.constraints.seen import held_in, seen_in
from onnx_conformance.generators.exploring.corpus import bases_of, subjects
from onnx_conformance.generators.exploring.drawing import NotDrawnError
from onnx_conformance.generators.exploring.edits import (
    AbsentEdit,
    AttributeEdit,
    InputEdit,
    RankEdit,
    SizeEdit,
    TypeEdit,
    is_kept,
    joint,
    made,
)
from onnx_conformance.generators.exploring.elements import reshaped
from onnx_conformance.generators.oracle.arith.grid import tensor_of_numbers
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.situations.permitting.permitted import NotPermittedError

if TYPE_CHECKING:
    from onnx_conformance.generators.exploring.calls import DrawnCall, Edit
    from onnx_conformance.generators.exploring.constraints.seen import Seen

OPERATORS = [
    "ai.onnx.ml.castmap",
    "attention",
    "causalconvwithstate",
    "einsum",
    "linearattention",
    "maxroipool",
    "nonmaxsuppression",
    "pad",
    "range",
    "reshape",
    "reversesequence",
    "rotaryembedding",
    "sequenceinsert",
    "split",
    "stft",
]


@cache
def seen(subject: str) -> Seen:
    bases = bases_of(subject.rpartition("-")[0])
    every = [bases.call(item) for plans in bases.plans.values() for item in sorted(plans)]
    return seen_in([bases.call(item) for item in sorted(bases.plans[subject])], held_in(every))


def base(vector_id: str) -> DrawnCall:
    return bases_of(vector_id.split("/", 1)[0].rpartition("-")[0]).call(vector_id)


def values(name: str, kind: str, numbers: list[Fraction], shape: tuple[int, ...]) -> InputEdit:
    items = [int(item) for item in numbers] if kind == "int64" else numbers
    return InputEdit(f"values of {name}", "", name, tensor_of_numbers(kind, shape, items))


def attribute(name: str, kind: str, value: object) -> AttributeEdit:
    return AttributeEdit(f"attribute {name}", f"{value}", name, kind, value)


ROIS = [Fraction(number) for number in (-37, 0, 0, 2, 2)]
CASES: list[tuple[str, Edit]] = [
    ("split-11/lengths_beside_0/float32", attribute("axis", "int", 0)),
    ("split-1/first_lengths/float32", attribute("axis", "int", 0)),
    ("reversesequence-10/default_axes/float32", attribute("time_axis", "int", 1)),
    ("reversesequence-10/all_whole/float32", SizeEdit("", "", 5, 3)),
    ("reshape-25/2_3_4_to_4_0_2/float32", attribute("allowzero", "int", 1)),
    ("reshape-25/2_3_4_to_4_0_2/float32", SizeEdit("", "", 4, 7, "data")),
    ("pad-25/axis_0_of_2x3x4/float32", AbsentEdit("axes absent", "", "axes")),
    ("sequenceinsert-11/end/int64", TypeEdit("type T", "string", "T", "string")),
    ("ai.onnx.ml.castmap-1/sparse/map_int64_float32", attribute("max_map", "int", -3)),
    ("maxroipool-22/negative_zeros/float32", values("rois", "float32", ROIS, (1, 5))),
    (
        "nonmaxsuppression-11/touching/float32",
        values("iou_threshold", "float32", [Fraction(-7, 4)], ()),
    ),
    ("linearattention-27/linear_heads/float32", attribute("kv_num_heads", "int", 1)),
    ("deformconv-19/plain/float32", attribute("strides", "ints", (2, 3))),
    ("rotaryembedding-23/packed/float32", AbsentEdit("", "", "position_ids")),
    ("rotaryembedding-23/quarter_turn/float32", attribute("rotary_embedding_dim", "int", 2)),
]


@pytest.mark.parametrize(("vector_id", "edit"), CASES)
def test_what_follows_from_an_edit_makes_it_permitted(vector_id: str, edit: Edit) -> None:
    call, known = base(vector_id), seen(vector_id.split("/", 1)[0])
    edited = edit.of(call)
    assert not hangs_together(call, edited, known)
    completed = mended(call, edited, known)
    assert hangs_together(call, completed, known, shapes_follow=True)
    assert completed.bound().reply()


@pytest.mark.parametrize(("vector_id", "edit"), CASES)
def test_an_edit_and_what_follows_are_one(vector_id: str, edit: Edit) -> None:
    """So that making a call simpler leaves out both or none."""
    call = base(vector_id)
    edited = edit.of(call)
    completed = mended(call, edited, seen(vector_id.split("/", 1)[0]))
    again = made(call, (joint(edit, edited, completed),))
    assert (completed.bound().inputs, len(again.done)) == (again.inputs, 1)
    assert set(completed.attributes) == set(again.attributes)


@pytest.mark.parametrize(
    ("vector_id", "edit"),
    [
        ("concatfromsequence-11/of_int8/seq_int8", attribute("new_axis", "int", 1)),
        ("concatfromsequence-11/of_int8/seq_int8", attribute("axis", "int", 2)),
        ("squeeze-25/rank_9/float32", values("axes", "int64", [Fraction(7)], (1,))),
        ("expand-13/zero_by_one/float32", values("shape", "int64", [Fraction(7)] * 2, (2,))),
        ("einsum-28/trace/float32", attribute("equation", "string", "ij,jk->ik")),
    ],
)
def test_what_follows_from_nothing_else_is_not_drawn(vector_id: str, edit: Edit) -> None:
    call, known = base(vector_id), seen(vector_id.split("/", 1)[0])
    completed = mended(call, edit.of(call), known)
    assert not hangs_together(call, completed, known, shapes_follow=True)


def test_an_edit_from_which_nothing_follows_is_left_as_it_is() -> None:
    call = base("split-11/lengths_beside_0/float32")
    edited = TypeEdit("", "", "T", "int8").of(call)
    assert mended(call, edited, seen("split-11")) == edited


STATE = "causalconvwithstate-27/plain/float32"


def shaped(call: DrawnCall, name: str, shape: tuple[int, ...]) -> RankEdit:
    value = next(item.value for item in call.inputs if item.name == name)
    assert isinstance(value, Tensor)
    return RankEdit(f"rank of {name}", f"{list(shape)}", name, reshaped(value, shape))


def kept_where(name: str, edit: Edit) -> bool:
    """Whether an edit of a call is kept where an input has three sizes of 1 after all."""
    edited = edit.of(base(STATE))
    return is_kept(edit, edited, shaped(edited, name, (1, 1, 1)).of(edited))


@pytest.mark.parametrize(("name", "kept"), [("weight", False), ("input", True)])
def test_a_shape_that_an_edit_says_is_kept_by_what_follows(name: str, *, kept: bool) -> None:
    call = base(STATE)
    length = next(i.value.shape[-1] for i in call.inputs if i.name == "weight")  # type: ignore[union-attr]
    assert kept_where(name, SizeEdit("", "", length, 7, "weight")) is kept
    assert kept_where(name, shaped(call, "weight", (2, 2))) is kept


@pytest.mark.parametrize("name", ["weight", "input"])
def test_an_edit_that_says_no_shape_of_one_input_is_kept_whatever_follows(name: str) -> None:
    call = base(STATE)
    length = next(i.value.shape[-1] for i in call.inputs if i.name == "weight")  # type: ignore[union-attr]
    assert kept_where(name, SizeEdit("", "", length, 7))
    assert kept_where(name, TypeEdit("", "", "T", "float16"))
    assert kept_where(name, InputEdit("", "", name, shaped(call, "input", (2, 2)).value))


def test_an_edit_from_which_nothing_follows_is_not_kept_for_it() -> None:
    edit = TypeEdit("", "", "T", "float16")
    edited = edit.of(base(STATE))
    assert not is_kept(edit, edited, edited)


def test_lengths_that_are_left_over_stay_in_order() -> None:
    call = base("split-11/lengths_beside_0/float32")
    edited = attribute("axis", "int", 0).of(call)
    completed = mended(call, edited, seen("split-11"))
    had, has = (list_of(item, "split") for item in (call, completed))
    data = call.inputs[0].value
    assert isinstance(data, Tensor)
    assert had is not None
    assert has is not None
    assert (len(had), data.shape[0]) == (len(has), sum(has))


def kinds(slug: str, count: int) -> set[str]:
    """The kinds of the edits in calls that the documents permit, but the forms."""
    drawer, found = editing.EditsDrawer(), set()
    for index in range(count):
        try:
            call = drawer.draw(subjects()[slug][0], 7, index)
            call.reply()
        except (NotDrawnError, NotPermittedError):
            continue
        found.update(edit.kind for edit in call.done if not edit.kind.startswith("form"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("slug", OPERATORS)
def test_what_is_drawn_varies_as_much_as_without_constraints(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine valid calls in ten are no use if they are all alike."""
    constrained = kinds(slug, 90)
    with monkeypatch.context() as patched:
        patched.setattr(editing, "hangs_together", lambda *_: True)
        free = kinds(slug, 60)
    assert len(constrained & free) >= 0.7 * len(free), free - constrained
