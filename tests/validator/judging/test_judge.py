"""The table of verdicts, cell by cell, and what the messages say."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from small_corpus import small_vector

from onnx_conformance.core.corpus.vectors import DataSet, Permitted
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor
from onnx_conformance.core.values.tolerance import Tolerance
from onnx_conformance.validator.judging.judge import judge, settle
from onnx_conformance.validator.judging.verdicts import (
    Accepted,
    Crashed,
    HarnessError,
    Judgement,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
    Verdict,
)
from onnx_conformance.validator.results.records import make_row

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.vectors import Vector
    from onnx_conformance.validator.judging.verdicts import Observation

REFUSED = Rejected("load", "no such\noperator")
FAILURES = [
    (Crashed("signal SIGSEGV"), Verdict.CRASHED, "signal SIGSEGV"),
    (TimedOut(10.0), Verdict.TIMED_OUT, "no reply within 10 s"),
    (ProtocolBroken("two replies"), Verdict.PROTOCOL_ERROR, "two replies"),
    (HarnessError("KeyError: 'x'"), Verdict.ERROR, "KeyError: 'x'"),
]


def integers(*values: int, name: str = "shape", element: str = "int64") -> NamedValue:
    data = np.array(values, element).tobytes()
    return NamedValue(name, Tensor(element, (len(values),), data))


def outputs(*values: NamedValue) -> Outputs:
    return Outputs((values,))


def latitude(*permitted: Permitted) -> Vector:
    options: dict[str, Any] = {"permitted": permitted}
    return small_vector("shape-15/open/float32", "latitude", **options)


VALID = small_vector("shape-15/whole/float32")
INVALID = small_vector("shape-15/unknown/float32", "invalid", reject="load", control=VALID.id)
OPEN = latitude(
    Permitted("empty", "the document gives no order", "permitted_0"),
    Permitted("full", "the document gives no order", "permitted_1"),
    Permitted("refused", "a checker may refuse", None),
)
STRICT = latitude(Permitted("empty", "the document gives no order", "permitted_0"))
PERMITTED = {"empty": (integers(),), "full": (integers(2, 3),)}


def verdict_on(vector: Vector, observation: Observation, **options: Any) -> Judgement:  # noqa: ANN401  of judge
    """The judgement where int64 [2, 3] is expected."""
    expected = (DataSet((), (integers(2, 3),)),)
    return judge(vector, expected, PERMITTED, observation, **options)


# --- outputs expected ----------------------------------------------------------------------


def test_the_expected_outputs_pass_without_a_word() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 3)))
    assert Judgement(Verdict.PASS) == judgement


def test_another_type_is_wrong_type() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 3, element="int32")))
    assert (Verdict.WRONG_TYPE, "expected int64 [2] = [2, 3]; got int32 [2] = [2, 3]") == (
        judgement.verdict,
        judgement.message,
    )


def test_another_shape_is_wrong_shape() -> None:
    judgement = verdict_on(VALID, outputs(integers(2)))
    assert (Verdict.WRONG_SHAPE, "expected int64 [2] = [2, 3]; got int64 [1] = [2]") == (
        judgement.verdict,
        judgement.message,
    )


def test_another_value_is_wrong_value_with_the_first_difference() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 4)))
    assert Verdict.WRONG_VALUE is judgement.verdict
    assert (
        "expected int64 [2] = [2, 3]; got int64 [2] = [2, 4];"
        " 1 of 2 elements differ, the first shape[1]: expected 3, got 4"
    ) == judgement.message
    assert "shape[1]: expected 3, got 4" == judgement.details["difference"]


def test_a_failure_shows_both_values() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 4)))
    shown = {"name": "shape", "type": "int64", "shape": [2]}
    assert [{**shown, "values": [2, 3]}] == judgement.expected
    assert [{**shown, "values": [2, 4]}] == judgement.got


def test_a_sequence_where_a_tensor_was_expected_is_wrong_type() -> None:
    got = NamedValue("shape", SequenceValue((integers(2).value,)))
    assert Verdict.WRONG_TYPE is verdict_on(VALID, outputs(got)).verdict


@pytest.mark.parametrize("extra", [(), (integers(2, 3), integers(1, name="more"))])
def test_another_number_of_outputs_is_wrong_count(extra: tuple[NamedValue, ...]) -> None:
    judgement = verdict_on(VALID, outputs(*extra))
    assert Verdict.WRONG_COUNT is judgement.verdict
    assert f"expected 1 outputs ('shape'); got {len(extra)}" in judgement.message


def test_outputs_are_matched_by_position_not_by_name() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 3, name="output_0")))
    assert Verdict.PASS is judgement.verdict


def test_a_failure_tells_what_the_backend_calls_the_output() -> None:
    judgement = verdict_on(VALID, outputs(integers(9, 9, name="output_0")))
    assert "the backend calls output 'shape' 'output_0'" == judgement.details["named"]


def test_two_outputs_of_one_name_break_the_protocol() -> None:
    judgement = verdict_on(VALID, outputs(integers(2, 3), integers(2, 3)))
    assert (Verdict.PROTOCOL_ERROR, "two outputs of data set 0 are named 'shape'") == (
        judgement.verdict,
        judgement.message,
    )


def test_outputs_without_names_are_no_duplicates() -> None:
    expected = (DataSet((), (integers(1, name="a"), integers(2, name="b"))),)
    got = outputs(integers(1, name=""), integers(2, name=""))
    assert Verdict.PASS is judge(VALID, expected, {}, got).verdict


@pytest.mark.parametrize("count", [0, 2])
def test_another_number_of_data_sets_breaks_the_protocol(count: int) -> None:
    judgement = verdict_on(VALID, Outputs(((integers(2, 3),),) * count))
    assert (Verdict.PROTOCOL_ERROR, f"expected outputs of 1 data sets; got {count}") == (
        judgement.verdict,
        judgement.message,
    )


def test_a_vector_without_outputs_passes_with_none() -> None:
    assert Verdict.PASS is judge(VALID, (DataSet((), ()),), {}, outputs()).verdict


def test_the_data_set_and_output_that_differ_are_named() -> None:
    wanted = (integers(1, name="a"), integers(2, name="b"))
    expected = (DataSet((), wanted), DataSet((), wanted))
    got = Outputs((wanted, (integers(1, name="a"), integers(3, name="b"))))
    judgement = judge(VALID, expected, {}, got)
    assert "data set 1, output 'b': expected int64 [1] = [2]; got int64 [1] = [3]" == (
        judgement.message
    )


def test_a_rejection_of_a_valid_vector_is_rejected_with_its_phase() -> None:
    judgement = verdict_on(VALID, REFUSED)
    assert (Verdict.REJECTED, "load", "rejected at load: no such operator") == (
        judgement.verdict,
        judgement.phase,
        judgement.message,
    )


def test_a_rejection_without_a_reason_ends_with_the_phase() -> None:
    assert "rejected at load" == verdict_on(VALID, Rejected("load", "  ")).message


def test_unsupported_is_no_pass() -> None:
    judgement = verdict_on(VALID, Unsupported("no int4\nhere"))
    assert (Verdict.UNSUPPORTED, "no int4 here") == (judgement.verdict, judgement.message)


@pytest.mark.parametrize("vector", [VALID, INVALID, OPEN], ids=lambda item: item.expect)
@pytest.mark.parametrize(("observation", "verdict", "message"), FAILURES)
def test_what_is_no_answer_keeps_its_name_whatever_was_expected(
    vector: Vector, observation: Observation, verdict: Verdict, message: str
) -> None:
    judgement = verdict_on(vector, observation)
    assert (verdict, message) == (judgement.verdict, judgement.message)


# --- rejection expected --------------------------------------------------------------------


def test_outputs_of_an_invalid_vector_are_accepted_invalid() -> None:
    judgement = verdict_on(INVALID, outputs(integers(2, 3)))
    assert (
        Verdict.ACCEPTED_INVALID,
        "expected a rejection at load; got int64 [2] = [2, 3]",
    ) == (judgement.verdict, judgement.message)


def test_outputs_of_an_invalid_vector_whose_shape_cannot_be_are_accepted_invalid() -> None:
    absurd = ProtocolBroken("negative dimension in shape [-1]", absurd_output=True)
    judgement = verdict_on(INVALID, absurd)
    message = "expected a rejection at load; got outputs that cannot be: " + absurd.message
    assert (Verdict.ACCEPTED_INVALID, message) == (judgement.verdict, judgement.message)


def test_no_outputs_of_an_invalid_vector_are_accepted_invalid() -> None:
    assert Verdict.ACCEPTED_INVALID is verdict_on(INVALID, outputs()).verdict


@pytest.mark.parametrize("phase", ["decode", "load", "run"])
def test_a_rejection_at_any_phase_passes_and_keeps_the_phase(phase: str) -> None:
    judgement = verdict_on(INVALID, Rejected(phase, "no"))
    assert (Verdict.PASS, phase) == (judgement.verdict, judgement.phase)


def test_unsupported_does_not_show_that_an_invalid_vector_is_refused() -> None:
    assert Verdict.INCONCLUSIVE is verdict_on(INVALID, Unsupported("no int4")).verdict


def test_a_rejection_counts_where_the_control_passes() -> None:
    rejected = verdict_on(INVALID, REFUSED)
    assert rejected == settle(INVALID, rejected, Verdict.PASS)


@pytest.mark.parametrize("control", [item for item in Verdict if item is not Verdict.PASS])
def test_a_rejection_is_inconclusive_where_the_control_does_not_pass(control: Verdict) -> None:
    settled = settle(INVALID, verdict_on(INVALID, REFUSED), control)
    assert (Verdict.INCONCLUSIVE, "load") == (settled.verdict, settled.phase)
    assert f"its control '{VALID.id}' is {control.value}" in settled.message


def test_a_rejection_is_inconclusive_where_the_control_has_no_verdict() -> None:
    settled = settle(INVALID, verdict_on(INVALID, REFUSED), None)
    assert Verdict.INCONCLUSIVE is settled.verdict


def test_an_invalid_vector_without_a_control_stands_alone() -> None:
    alone = small_vector("shape-15/broken/float32", "invalid", reject="decode")
    rejected = verdict_on(alone, REFUSED)
    assert rejected == settle(alone, rejected, None)


def test_a_control_changes_no_other_verdict() -> None:
    accepted = verdict_on(INVALID, outputs(integers(2, 3)))
    assert accepted == settle(INVALID, accepted, Verdict.CRASHED)


def test_a_control_changes_nothing_of_a_valid_vector() -> None:
    passed = verdict_on(VALID, outputs(integers(2, 3)))
    assert passed == settle(VALID, passed, Verdict.CRASHED)


# --- latitude ------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "values"), [("empty", ()), ("full", (2, 3))])
def test_a_permitted_result_passes_and_says_which(label: str, values: tuple[int, ...]) -> None:
    judgement = verdict_on(OPEN, outputs(integers(*values)))
    assert (Verdict.PASS, label) == (judgement.verdict, judgement.taken)


def test_a_permitted_rejection_passes_and_says_so() -> None:
    judgement = verdict_on(OPEN, REFUSED)
    assert (Verdict.PASS, "refused", "load") == (
        judgement.verdict,
        judgement.taken,
        judgement.phase,
    )


def test_a_rejection_that_is_not_permitted_is_rejected() -> None:
    judgement = judge(STRICT, (), {"empty": (integers(),)}, REFUSED)
    assert (Verdict.REJECTED, None) == (judgement.verdict, judgement.taken)


def test_a_result_that_is_not_permitted_lists_those_that_are() -> None:
    judgement = verdict_on(OPEN, outputs(integers(7, 7)))
    assert Verdict.WRONG_VALUE is judgement.verdict
    assert (
        "expected any of 'empty' (int64 [0], empty), 'full' (int64 [2] = [2, 3]),"
        " 'refused' (a rejection); got int64 [2] = [7, 7]"
    ) == judgement.message


def test_the_nearest_permitted_result_names_what_is_wrong() -> None:
    judgement = verdict_on(OPEN, outputs(integers(7, 7, 7, element="int32")))
    assert Verdict.WRONG_TYPE is judgement.verdict


def test_unsupported_latitude_is_unsupported() -> None:
    assert Verdict.UNSUPPORTED is verdict_on(OPEN, Unsupported("no")).verdict


# --- backends that judge validity alone ----------------------------------------------------


def test_accepting_a_valid_vector_passes_without_a_value_judged() -> None:
    judgement = verdict_on(VALID, Accepted())
    assert (Verdict.PASS, "validity alone, no value") == (
        judgement.verdict,
        judgement.details["judged"],
    )


def test_accepting_an_invalid_vector_is_accepted_invalid() -> None:
    assert Verdict.ACCEPTED_INVALID is verdict_on(INVALID, Accepted()).verdict


def test_accepting_a_fault_that_only_running_shows_proves_nothing() -> None:
    late = small_vector("shape-15/late/float32", "invalid", reject="run", control=VALID.id)
    assert Verdict.INCONCLUSIVE is verdict_on(late, Accepted()).verdict


def test_accepting_latitude_passes_and_says_so() -> None:
    judgement = verdict_on(OPEN, Accepted())
    assert (Verdict.PASS, "accepted") == (judgement.verdict, judgement.taken)


# --- tolerance -----------------------------------------------------------------------------


def floats(*codes: int) -> NamedValue:
    return NamedValue("y", Tensor("float32", (len(codes),), np.array(codes, "u4").tobytes()))


def test_a_vector_without_tolerance_is_exact() -> None:
    expected = (DataSet((), (floats(0x3F800000),)),)
    judgement = judge(VALID, expected, {}, outputs(floats(0x3F800001)))
    assert (Verdict.WRONG_VALUE, 1) == (judgement.verdict, judgement.details["max_ulp"])


def test_a_vector_is_judged_with_the_tolerance_that_it_carries() -> None:
    vector = small_vector("exp-13/example/float32", rtol=1e-3, atol=1e-7)
    expected = (DataSet((), (floats(0x3F800000),)),)
    assert Verdict.PASS is judge(vector, expected, {}, outputs(floats(0x3F800005))).verdict


def test_a_pass_within_a_tolerance_reports_the_largest_distance() -> None:
    expected = (DataSet((), (floats(0x3F800000, 0x40000000),)),)
    got = outputs(floats(0x3F800002, 0x40000001))
    judgement = judge(VALID, expected, {}, got, tolerance=Tolerance("ulp", ulps=2))
    assert (Verdict.PASS, {"max_ulp": 2, "tolerance": "2 ulp"}) == (
        judgement.verdict,
        judgement.details,
    )


def test_the_largest_distance_is_that_of_all_data_sets() -> None:
    wanted = (floats(10),)
    expected = (DataSet((), wanted), DataSet((), wanted))
    got = Outputs(((floats(13),), (floats(11),)))
    judgement = judge(VALID, expected, {}, got, tolerance=Tolerance("ulp", ulps=5))
    assert 3 == judgement.details["max_ulp"]


def test_odd_booleans_pass_with_a_note() -> None:
    expected = (DataSet((), (NamedValue("y", Tensor("bool", (1,), b"\x01")),)),)
    got = outputs(NamedValue("y", Tensor("bool", (1,), b"\x02")))
    judgement = judge(VALID, expected, {}, got)
    assert (Verdict.PASS, ["1 true elements are bytes other than 1"]) == (
        judgement.verdict,
        judgement.details["notes"],
    )


def test_every_judgement_fits_into_a_results_row() -> None:
    values = Tensor("float32", (3,), np.array([np.nan, -np.inf, 3e38], "f4").tobytes())
    expected = (DataSet((), (NamedValue("y", values),)),)
    judgement = judge(VALID, expected, {}, outputs(floats(0x7F7FFFFF, 1, 2)))
    row = asdict(make_row(VALID, judgement, 0.1))
    assert (
        row["expected"][0]["values"][:2]
        == json.loads(json.dumps(row, allow_nan=False))["expected"][0]["values"][:2]
    )
    assert ["nan", "-inf"] == row["expected"][0]["values"][:2]
