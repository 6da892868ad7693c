"""Edited vectors of the corpus: permitted by the documents, and varied."""

from __future__ import annotations

import pytest

from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.generators.exploring import editing
from onnx_conformance.generators.exploring.corpus import bases_of, subjects
from onnx_conformance.generators.exploring.edits import AttributeEdit, SizeEdit, with_edit
from onnx_conformance.generators.situations.permitting.permitted import NotPermittedError

# Of these a fifth of all edits or more makes a call that no document permits.
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


def kinds(slug: str, count: int) -> tuple[set[str], int]:
    """The kinds of the edits in calls that the documents permit, but the forms; and how many not.

    What the oracle cannot answer in its time, or at its size, is neither.
    """
    drawer, found, refused = editing.EditsDrawer(), set(), 0
    for index in range(count):
        call = drawer.draw(subjects()[slug][0], 7, index)
        try:
            call.reply  # noqa: B018
        except NotPermittedError as error:
            refused += error.refusal is Refusal.INVALID
        else:
            found.update(edit.kind for edit in call.done if not edit.kind.startswith("form"))
    return found, refused


@pytest.mark.parametrize("slug", ["range", "reshape", "split"])
def test_what_no_document_permits_is_drawn_again(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kinds(slug, 40)[1] == 0
    monkeypatch.setattr(editing, "_is_refused", lambda _: False)
    assert kinds(slug, 40)[1] > 4


@pytest.mark.slow
@pytest.mark.parametrize("slug", OPERATORS)
def test_permitted_calls_vary_as_much_as_calls_of_which_nothing_is_asked(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine valid calls in ten are no use if they are all alike."""
    asked, refused = kinds(slug, 90)
    assert refused <= 9
    monkeypatch.setattr(editing, "_is_refused", lambda _: False)
    free, _ = kinds(slug, 60)
    assert len(asked & free) >= 0.7 * len(free), free - asked


def test_an_edit_that_changes_nothing_is_none() -> None:
    call = bases_of("softmax").call("softmax-13/types/float32")
    assert with_edit(call, SizeEdit("", "", 4093, 2)) is call


def test_a_call_knows_its_edits_and_what_it_was_before_them() -> None:
    call = bases_of("softmax").call("softmax-13/types/float32")
    edits = [AttributeEdit("attribute axis", "", "axis", "int", axis) for axis in (0, -1)]
    first = with_edit(call, edits[0])
    second = with_edit(first, edits[1])
    assert (second.done, second.start) == (tuple(edits), call)


@pytest.mark.parametrize("subject", ["if-25", "loop-25", "scan-25"])
def test_what_a_graph_declares_of_its_values_stays(subject: str) -> None:
    drawer = editing.EditsDrawer()
    for index in range(40):
        call = drawer.draw(subject, 8, index)
        start = call.start or call
        pairs = zip(start.inputs, call.inputs, strict=True)
        types = [(shape_and_type(one.value), shape_and_type(other.value)) for one, other in pairs]
        assert all(one == other for one, other in types)


def shape_and_type(value: object) -> tuple[object, object]:
    return getattr(value, "shape", None), getattr(value, "type", None)
