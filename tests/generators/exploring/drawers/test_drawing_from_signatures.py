"""The drawer of signatures: nearly all that it draws is permitted, and it draws the same again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onnx_conformance.generators.exploring.corpus import subjects
from onnx_conformance.generators.exploring.drawers.drawer import SignatureDrawer
from onnx_conformance.generators.exploring.drawers.table import function_of
from onnx_conformance.generators.exploring.drawing import NotDrawnError
from onnx_conformance.generators.situations.permitting.permitted import NotPermittedError

# Gradient is of whole models: the corpus has no node of it to begin with.
WITHOUT_DRAWER = {"ai.onnx.preview.training.gradient"}
PARTS = 12
CALLS = 10
DUE = 9


def refusals(subject: str, count: int, seed: int = 7) -> list[str]:
    """Why calls of an operator version have no answer."""
    drawer = SignatureDrawer()
    found = []
    for index in range(count):
        try:
            drawer.draw(subject, seed, index).reply  # noqa: B018
        except NotPermittedError as error:
            found.append(f"{error.refusal.value}: {error}")
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_nine_in_ten_calls_are_permitted_for_each_operator(part: int) -> None:
    own = sorted(subjects().items())[part::PARTS]
    assert own
    poor = {
        versions[0]: refused
        for slug, versions in own
        if slug not in WITHOUT_DRAWER and len(refused := refusals(versions[0], CALLS)) > CALLS - DUE
    }
    assert {} == poor


def test_an_operator_without_a_vector_to_begin_with_is_said() -> None:
    drawer = SignatureDrawer()
    with pytest.raises(
        NotDrawnError, match=r"no vector of ai\.onnx\.preview\.training\.gradient-1"
    ):
        drawer.draw("ai.onnx.preview.training.gradient-1", 1, 0)


@pytest.mark.parametrize("subject", ["conv-22", "add-14", "ai.onnx.ml.scaler-1", "lstm-22"])
def test_the_same_numbers_give_the_same_call(subject: str) -> None:
    one, other = (replace(SignatureDrawer().draw(subject, 3, 5), form="static") for _ in range(2))
    assert one.edits == other.edits
    assert one.made("explore/x-1/d3.5").files == other.made("explore/x-1/d3.5").files


def test_types_special_values_and_forms_are_told() -> None:
    drawer = SignatureDrawer()
    told = {item.split(" ")[0] for at in range(40) for item in drawer.draw("add-14", 1, at).edits}
    assert {"types", "special", "extreme", "form"} <= told


def test_a_simpler_call_is_made_of_fewer_elements_or_a_plainer_form() -> None:
    drawer = SignatureDrawer()
    call = drawer.draw("matmul-13", 1, 3)
    assert all(item != call for item in drawer.simpler(call))
    assert drawer.simpler(call)


def test_each_family_is_a_function_of_this_package() -> None:
    import importlib

    package = "onnx_conformance.generators.exploring.drawers"
    places = {function_of("", name) for name in ("Add", "Conv", "ReduceSum", "Pad", "LSTM", "Cast")}
    for place in places:
        assert place is not None
        assert callable(getattr(importlib.import_module(f"{package}.{place[0]}"), place[1]))
    assert None is function_of("ai.onnx.ml", "Scaler")


def test_a_form_with_further_outputs_takes_no_open_result() -> None:
    """Each permitted result has the outputs of the node alone; a judge looks for all of them."""
    drawer = SignatureDrawer()
    calls = [replace(drawer.draw("reducemax-13", 5, index), form="consumed") for index in range(60)]
    opened = [call for call in calls if call.reply.permitted]
    assert opened
    for call in opened:
        with pytest.raises(NotPermittedError, match="form consumed has one place for a result"):
            call.made("explore/reducemax-13/d5.0")
