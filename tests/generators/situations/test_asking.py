"""What becomes of what a document leaves open, from the oracle to the vector."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sample_specs import write_specs
from written_oracles import written_oracle

from onnx_conformance.core.corpus.vector_files import permitted_outputs_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.corpus.making import build_all, plan_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.building import Built

SPEC = """\
operator: Unsettled
versions:
  1:
    types: {T: [float32, int32]}
    inputs: {x: T}
    outputs: {y: T}
    attributes: {}
requirements:
  - id: settled
    text: The output is what it is.
    source: {document: Unsettled-1, part: Summary}
open:
  - id: order
    text: The page does not say which element comes first.
    source: {document: Unsettled-1, part: Summary}
    readings:
      as-given: the order of the input
      reversed: the opposite order
  - id: either
    text: The page does not say which zero it is.
    source: {document: Unsettled-1, part: Summary}
    readings:
      plus: it is +0
      minus: it is -0
cases:
  - {id: one, covers: [settled], inputs: {x: {values: [1, 2]}}}
"""
REVERSING = """
@oracle("Unsettled")
def unsettled(call):
    x = call.grid("x")
    if call.choose("order", "as-given", "reversed") == "reversed":
        return (Grid(x.type, x.shape, x.items[::-1]),)
    return (x,)
"""


def built(folder: Path, oracle: str = REVERSING, old: str = "", new: str = "") -> dict[str, Built]:
    assert old in SPEC
    specs = write_specs(folder / "specs", SPEC.replace(old, new) if old else SPEC)
    with written_oracle(folder / "oracles", oracle):
        return {item.vector.id: item for item in build_all(plan_corpus(specs))}


def the_plain_one(folder: Path, oracle: str = REVERSING, old: str = "", new: str = "") -> Built:
    return built(folder, oracle, old, new)["unsettled-1/one/float32"]


def message_of(folder: Path, oracle: str = REVERSING, old: str = "", new: str = "") -> str:
    with pytest.raises(BadInputError) as caught:
        built(folder, oracle, old, new)
    return str(caught.value)


def floats(*numbers: float) -> Tensor:
    import struct

    return Tensor("float32", (len(numbers),), struct.pack(f"<{len(numbers)}f", *numbers))


def permitted(one: Built) -> dict[str, tuple[Tensor, ...]]:
    found = permitted_outputs_of(one.vector, one.files, "here")
    return {name: tuple(item.value for item in items) for name, items in found.items()}  # type: ignore[misc]


def test_each_reading_is_a_permitted_result_with_its_reason(tmp_path: Path) -> None:
    one = the_plain_one(tmp_path)
    assert {"as_given": (floats(1, 2),), "reversed": (floats(2, 1),)} == permitted(one)
    assert ["the order of the input", "the opposite order"] == [
        item.reason for item in one.vector.permitted
    ]


def test_a_vector_with_an_open_result_is_latitude(tmp_path: Path) -> None:
    one = the_plain_one(tmp_path)
    assert ("latitude", "any") == (one.vector.kind, one.vector.expect)
    assert not [name for name in one.files if name.startswith("test_data_set_0/output")]


def test_each_element_may_follow_its_own_reading(tmp_path: Path) -> None:
    known = json.loads(the_plain_one(tmp_path).files["data.json"])
    assert "element" == known["permitted_by"]


def test_equal_readings_leave_nothing_open(tmp_path: Path) -> None:
    one = the_plain_one(tmp_path, old="values: [1, 2]", new="values: [3, 3]")
    assert ("valid", ()) == (one.vector.kind, one.vector.permitted)


def test_a_question_that_the_spec_does_not_state_is_an_error(tmp_path: Path) -> None:
    expected = (
        "the oracle asks 'order', which the document leaves open; state it under `open:` with its"
        " readings"
    )
    assert message_of(tmp_path, old="id: order", new="id: other").endswith(expected)


def test_a_reading_that_the_spec_does_not_state_is_an_error(tmp_path: Path) -> None:
    expected = "reading 'reversed' of 'order' is not stated under `open:`"
    assert message_of(tmp_path, old="reversed: the", new="backwards: the").endswith(expected)


def test_an_error_names_the_file_the_line_and_the_vector(tmp_path: Path) -> None:
    message = message_of(tmp_path, old="id: order", new="id: other")
    line = SPEC[: SPEC.index("  - {id: one")].count("\n") + 1
    assert message.startswith(f"{tmp_path}/specs/reshape.yaml:{line}: ")


def test_a_question_has_two_readings(tmp_path: Path) -> None:
    message = message_of(tmp_path, old="      reversed: the opposite order\n", new="")
    assert message.endswith("what is left open has at least two readings")


# --- refusals, and anything ---

REFUSING = """
@oracle("Unsettled")
def unsettled(call):
    if call.choose("order", "as-given", "reversed") == "reversed":
        raise InvalidCallError("there is no order")
    return (call.grid("x"),)
"""


def test_a_reading_may_refuse_the_call(tmp_path: Path) -> None:
    one = the_plain_one(tmp_path, REFUSING)
    assert [("as_given", "permitted_0"), ("reversed", None)] == [
        (item.taken, item.folder) for item in one.vector.permitted
    ]


def test_a_call_that_every_reading_refuses_is_no_valid_case(tmp_path: Path) -> None:
    oracle = REFUSING.replace(
        'if call.choose("order", "as-given", "reversed") == "reversed":',
        ('if call.choose("order", "as-given", "reversed"):'),
    )
    expected = "every reading refuses the call: it is an invalid case"
    assert message_of(tmp_path, oracle).endswith(expected)


def test_rejected_permits_a_refusal_besides_the_readings(tmp_path: Path) -> None:
    one = the_plain_one(
        tmp_path,
        old="      reversed: the opposite order\n",
        new="      reversed: the opposite order\n      rejected: it is not defined\n",
    )
    assert ["as_given", "reversed", "rejected"] == [item.taken for item in one.vector.permitted]
    last = one.vector.permitted[-1]
    assert (None, "it is not defined") == (last.folder, last.reason)


def test_anything_permits_any_value_of_the_type_and_shape(tmp_path: Path) -> None:
    one = the_plain_one(
        tmp_path,
        old="      reversed: the opposite order\n",
        new="      reversed: the opposite order\n      anything: no word is said\n",
    )
    assert [False, False, True] == [item.any for item in one.vector.permitted]


def test_two_questions_are_asked_in_every_combination(tmp_path: Path) -> None:
    oracle = """
@oracle("Unsettled")
def unsettled(call):
    x = call.grid("x")
    items = x.items
    if call.choose("order", "as-given", "reversed") == "reversed":
        items = items[::-1]
    if call.choose("either", "plus", "minus") == "minus":
        items = tuple(-item for item in items)
    return (Grid(x.type, x.shape, items),)
"""
    found = permitted(the_plain_one(tmp_path, oracle))
    assert {
        "as_given_and_plus": (floats(1, 2),),
        "as_given_and_minus": (floats(-1, -2),),
        "reversed_and_plus": (floats(2, 1),),
        "reversed_and_minus": (floats(-2, -1),),
    } == found


# --- what is open, as the control of what is invalid ---

WITH_A_NEIGHBOUR = (
    "inputs: {x: {values: [1, 2]}}}\n",
    """inputs: {x: {values: [1, 2]}}}
invalid:
  - {id: three, control: one, covers: [settled], inputs: {x: [3]}}
""",
)
OF_TWO = """
@oracle("Unsettled")
def unsettled(call):
    x = call.grid("x")
    if x.shape != (2,):
        raise InvalidCallError("there are not two")
    if call.choose("order", "as-given", "reversed") == "reversed":
        return (Grid(x.type, x.shape, x.items[::-1]),)
    return (x,)
"""


def test_a_control_may_have_an_open_result(tmp_path: Path) -> None:
    old, new = WITH_A_NEIGHBOUR
    found = built(tmp_path, OF_TWO, old, new)["unsettled-1/three/float32"].vector
    assert ("invalid", "unsettled-1/one/float32") == (found.kind, found.control)


def test_a_control_may_not_be_open_to_refusal(tmp_path: Path) -> None:
    old, new = WITH_A_NEIGHBOUR
    text = "      reversed: the opposite order\n"
    spec = SPEC.replace(text, f"{text}      rejected: it is not defined\n").replace(old, new)
    specs = write_specs(tmp_path / "specs", spec)
    with written_oracle(tmp_path / "oracles", OF_TWO), pytest.raises(BadInputError) as caught:
        plan_corpus(specs)
    assert "control 'one' of 'three' may be refused" in str(caught.value)


# --- elements that may be one of several ---

CHOOSING = """
@oracle("Unsettled")
def unsettled(call):
    x = call.grid("x")
    return (Grid(x.type, x.shape, (AnyOf((x.items[0], x.items[0] + 7)), *x.items[1:])),)
"""


def test_an_element_that_may_be_either_has_a_result_for_each(tmp_path: Path) -> None:
    one = the_plain_one(tmp_path, CHOOSING)
    assert {"choice_1": (floats(1, 2),), "choice_2": (floats(8, 2),)} == permitted(one)
    reasons = {item.reason for item in one.vector.permitted}
    assert {"The page does not say which zero it is."} == reasons


def test_an_element_that_may_be_either_is_not_lost_under_a_reading(tmp_path: Path) -> None:
    oracle = CHOOSING.replace(
        "    x = call.grid",
        '    call.choose("order", "as-given", "reversed")\n    x = call.grid',
    )
    assert (floats(8, 2),) in permitted(the_plain_one(tmp_path, oracle)).values()


def test_a_valid_case_is_refused_by_name(tmp_path: Path) -> None:
    oracle = """
@oracle("Unsettled")
def unsettled(call):
    raise InvalidCallError("not today")
"""
    assert message_of(tmp_path, oracle).endswith("the oracle refuses it: not today")


def test_a_reading_that_accepts_more_than_one_of_the_same_elements_stays(tmp_path: Path) -> None:
    """1 or 2 is written as limits, which equality of tensors ignores."""
    any_order = REVERSING.replace("x.items[::-1]", "[AnyOf((1, 2)), AnyOf((2, 1))]")
    imported = "from onnx_conformance.generators.oracle.arith.grid import AnyOf\n"
    whole = {"old": "covers: [settled], inputs", "new": "covers: [settled], types: [int32], inputs"}
    plans = built(tmp_path, imported + any_order, **whole)
    found = next(item for name, item in plans.items() if "int32" in name)
    assert ["as_given", "reversed"] == [item.taken for item in found.vector.permitted]
