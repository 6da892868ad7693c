"""The row of an invalid vector waits until the verdict of its control is known."""

from __future__ import annotations

import os
import signal

import pytest
from runnable_corpus import shape_vector

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import DataSet, Kind
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.validator.host.preparing import Expectation
from onnx_conformance.validator.host.requests import Finished
from onnx_conformance.validator.judging.verdicts import Crashed, Observation, Outputs, Rejected
from onnx_conformance.validator.running.planning import RunPlan
from onnx_conformance.validator.running.rows import RowJudge
from onnx_conformance.validator.running.signals import stopping_on_signals

CONTROL, INVALID, OTHER = "shape-15/good/f", "shape-15/invalid/f", "shape-15/other/f"
SHAPE = NamedValue("shape", Tensor("int64", (1,), (2).to_bytes(8, "little")))
RIGHT = Outputs(((SHAPE,),))
NO = Rejected("load", "no")


def test_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    calls: list[str] = []
    try:
        with stopping_on_signals(lambda: calls.append("stop")) as caught:
            os.kill(os.getpid(), signal.SIGHUP)
            assert [] == caught
            os.kill(os.getpid(), signal.SIGTERM)
            assert [signal.SIGTERM] == caught
        assert signal.SIG_IGN is signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ["stop"] == calls


def plan() -> RunPlan:
    kinds = {CONTROL: "valid", OTHER: "valid", INVALID: "invalid"}
    entries = {item: Entry(item, Kind(kind), "nowhere", None) for item, kind in kinds.items()}
    return RunPlan(entries, 3, (), {INVALID: CONTROL})


def finished(vector_id: str, observation: Observation | None) -> Finished:
    kind = "invalid" if vector_id == INVALID else "valid"
    vector = shape_vector(vector_id, kind, control=CONTROL if kind == "invalid" else None)
    outputs = () if kind == "invalid" else (SHAPE,)
    expectation = Expectation(vector, (DataSet((), outputs),), {})
    return Finished(vector_id, observation, context=expectation)


def given(
    judge: RowJudge, vector_id: str, observation: Observation | None
) -> list[tuple[str, str]]:
    return [(row.id, row.verdict) for row in judge.rows(finished(vector_id, observation))]


def test_rejection_before_its_control_is_held() -> None:
    judge = RowJudge(plan(), {})
    assert [] == given(judge, INVALID, NO)
    assert [(OTHER, "pass")] == given(judge, OTHER, RIGHT)
    assert [(CONTROL, "pass"), (INVALID, "pass")] == given(judge, CONTROL, RIGHT)


@pytest.mark.parametrize("observation", [NO, Crashed("exit 1"), None])
def test_held_rejection_is_inconclusive_where_the_control_does_not_pass(
    observation: Observation | None,
) -> None:
    judge = RowJudge(plan(), {})
    assert [] == given(judge, INVALID, NO)
    assert (INVALID, "inconclusive") == given(judge, CONTROL, observation)[1]


def test_rejection_after_its_control_is_not_held() -> None:
    judge = RowJudge(plan(), {})
    assert [(CONTROL, "pass")] == given(judge, CONTROL, RIGHT)
    assert [(INVALID, "pass")] == given(judge, INVALID, NO)


def test_what_is_no_rejection_needs_no_control() -> None:
    judge = RowJudge(plan(), {})
    assert [(INVALID, "accepted-invalid")] == given(judge, INVALID, RIGHT)
    assert [(INVALID, "crashed")] == given(RowJudge(plan(), {}), INVALID, Crashed("exit 1"))


def test_control_of_a_run_that_is_continued_counts() -> None:
    assert [(INVALID, "pass")] == given(RowJudge(plan(), {CONTROL: "pass"}), INVALID, NO)
    judge = RowJudge(plan(), {CONTROL: "crashed"})
    assert [(INVALID, "inconclusive")] == given(judge, INVALID, NO)


def test_rejection_whose_control_the_corpus_lacks_is_inconclusive() -> None:
    without = RunPlan(plan().entries, 3, (), {})
    assert [(INVALID, "inconclusive")] == given(RowJudge(without, {}), INVALID, NO)
