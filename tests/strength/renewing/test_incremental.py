"""What killed mutants before is tried first, and how far what is remembered is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import onnx
import pytest
from generated import generated
from strength.mutants.mutant import Mutant, all_mutants
from strength.records.history import (
    History,
    Kills,
    call_digest,
    code_of,
    kills_of,
    read_history,
    upstream_digests,
    vector_digest,
    write_history,
)
from strength.renewing import bench, incremental
from strength.renewing.incremental import measure_incrementally, remembered, theirs
from strength.trying import trial
from strength.trying.judged_vectors import JudgedVectors
from strength.trying.measuring import Effort, Measured, measure
from strength.trying.requirements import suspicious
from strength.trying.status import Finding, Looking, Status

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.oracle.registry import Call, Result, compute

if TYPE_CHECKING:
    from pathlib import Path

_TURN = 7


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest version of Size."""
    return generated(tmp_path_factory, "size", "size-25/*")


@pytest.fixture(scope="module")
def first(vectors: Path) -> Measured:
    return measure("", "Size", vectors, Effort(1, 200, Looking.REQUIREMENTS))


@pytest.fixture(scope="module")
def history(vectors: Path, first: Measured) -> History:
    return remembered("", "Size", vectors, first, code_of("", "Size")).history


def place_of(first: Measured, status: Status) -> int:
    return next(at for at, item in enumerate(first.findings) if item.status is status)


def with_status(history: History, index: int, place: int) -> History:
    of = (*history.ours.of[:index], place, *history.ours.of[index + 1 :])
    return replace(history, ours=replace(history.ours, of=of))


def test_a_second_measurement_comes_to_the_same(
    vectors: Path, first: Measured, history: History
) -> None:
    renewed = measure_incrementally("", "Size", vectors, history, _TURN)
    assert renewed is not None
    assert [(item.name, item.status) for item in first.findings] == [
        (item.name, item.status) for item in renewed.measured.findings
    ]
    assert suspicious(first) == suspicious(renewed.measured)
    assert (first.vectors, first.calls) == (renewed.measured.vectors, renewed.measured.calls)
    assert history.ours == renewed.history.ours
    assert history.steps == renewed.history.steps


def test_what_is_not_tried_once_more_is_no_more_than_answered(
    vectors: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = []
    first = trial.counted
    monkeypatch.setattr(trial, "counted", lambda: (counting.append(1), first())[1])
    renewed = measure_incrementally("", "Size", vectors, history, _TURN)
    assert renewed is not None
    assert 2 * len(counting) < len(history.steps)
    assert history.steps == renewed.history.steps


def test_a_kill_that_is_remembered_is_seen_anew(
    vectors: Path, first: Measured, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(first, Status.EQUIVALENT)
    survived_of = with_status(history, place, 0)
    renewed = measure_incrementally("", "Size", vectors, survived_of, _TURN)
    assert renewed is not None
    assert renewed.measured.findings[place].status is Status.SURVIVED
    monkeypatch.setattr(bench, "_MOST_LOST", 0)
    assert measure_incrementally("", "Size", vectors, survived_of, _TURN) is None


def test_what_no_remembered_vector_kills_is_tried_on_all(
    vectors: Path, first: Measured, history: History
) -> None:
    gone = tuple(vector_digest(f"size-25/gone{index}") for index in history.ours.vectors)
    lost = replace(history.ours, vectors=gone)
    killed = place_of(first, Status.KILLED)
    alone = tuple(-1 if at != killed and of >= 0 else of for at, of in enumerate(lost.of))
    changed = replace(history, ours=replace(lost, of=alone))
    renewed = measure_incrementally("", "Size", vectors, changed, _TURN)
    assert renewed is not None
    assert renewed.measured.findings[killed].status is Status.KILLED


def test_where_another_vector_kills_that_is_remembered(
    vectors: Path, first: Measured, history: History
) -> None:
    index = place_of(first, Status.KILLED)
    lost = replace(history.ours, vectors=(*history.ours.vectors, vector_digest("size-25/gone")))
    changed = with_status(replace(history, ours=lost), index, len(history.ours.vectors))
    renewed = measure_incrementally("", "Size", vectors, changed, _TURN)
    assert renewed is not None
    assert renewed.measured.findings[index].status is Status.KILLED
    assert "/" in renewed.measured.findings[index].by


def test_a_survivor_is_tried_on_what_is_new(
    vectors: Path, first: Measured, history: History
) -> None:
    names = [item.name for item in first.findings]
    index = names.index("signature: scalars refused")
    place = with_status(history, index, -1)
    scalars = sorted(scalar_calls(vectors) & set(history.steps))[:10]
    known = {call: steps for call, steps in history.steps.items() if call not in scalars}
    forgot = replace(place, steps=known)
    renewed = measure_incrementally("", "Size", vectors, forgot, _TURN)
    assert renewed is not None
    assert renewed.measured.findings[index].status is Status.KILLED


def scalar_calls(vectors: Path) -> set[str]:
    evidence = JudgedVectors(vectors, "", "Size")
    evidence.record(compute)
    calls = [call for item in evidence.by_id.values() for call in item.calls]
    scalars = [call for call in calls if call.inputs["data"].shape == ()]  # type: ignore[union-attr]
    return {digest for digest in map(call_digest, scalars) if digest is not None}


def test_where_too_much_is_new_everything_is_measured(vectors: Path, history: History) -> None:
    few = dict(sorted(history.steps.items())[: len(history.steps) // 2])
    assert measure_incrementally("", "Size", vectors, replace(history, steps=few), _TURN) is None


def test_where_there_are_other_mutants_everything_is_measured(
    vectors: Path, history: History
) -> None:
    fewer = replace(history.ours, of=history.ours.of[1:])
    assert measure_incrementally("", "Size", vectors, replace(history, ours=fewer), _TURN) is None


def test_a_surviving_table_is_tried_on_every_vector_where_nothing_is_remembered(
    vectors: Path, first: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = place_of(first, Status.KILLED)
    monkeypatch.setattr(incremental, "all_mutants", of_a_table(index))
    findings = list(first.findings)
    findings[index] = Finding(findings[index].name, Status.EQUIVALENT)
    survivor = replace(
        first, findings=tuple(findings), partly_tried=1, argued={findings[index].name: "x"}
    )
    renewed = remembered("", "Size", vectors, survivor, "code")
    assert renewed.measured.findings[index].status is Status.KILLED
    assert {} == renewed.measured.argued
    assert 0 == renewed.history.partly_tried
    monkeypatch.setattr(bench, "_OF_TABLES", 0)
    renewed = remembered("", "Size", vectors, survivor, "code")
    assert renewed.measured.findings[index].status is Status.EQUIVALENT


def of_a_table(index: int) -> Any:  # noqa: ANN401  as all_mutants
    def found(*arguments: Any) -> list[Mutant]:  # noqa: ANN401
        mutants = list(all_mutants(*arguments))
        mutants[index] = replace(mutants[index], number=0, in_call=False)
        return mutants

    return found


def test_what_survived_still_survives(vectors: Path, first: Measured, history: History) -> None:
    place = place_of(first, Status.EQUIVALENT)
    renewed = measure_incrementally("", "Size", vectors, with_status(history, place, -2), _TURN)
    assert renewed is not None
    assert renewed.measured.findings[place].status is Status.SURVIVED
    assert renewed.measured.percent < 100.0


def test_what_showed_a_requirement_still_shows_it(vectors: Path, history: History) -> None:
    renewed = measure_incrementally("", "Size", vectors, history, _TURN)
    assert renewed is not None
    more = measure_incrementally("", "Size", vectors, renewed.history, _TURN)
    assert more is not None
    assert renewed.history == more.history


def test_what_other_tests_kill_is_the_same_where_it_is_remembered(
    vectors: Path, first: Measured
) -> None:
    found = theirs("", "Size", vectors, None)
    assert (first.vectors, first.count(Status.KILLED)) == (found.vectors, found.killed)
    assert found == theirs("", "Size", vectors, found.kills)
    everything = replace(found.kills, of=tuple(0 for _ in found.kills.of))
    assert found == theirs("", "Size", vectors, everything)
    assert 0 == theirs("", "Not", vectors, None).killed


# --- the file ---


HISTORY = History(
    "code",
    Kills((vector_digest("a/b"), vector_digest("a/c")), (0, 1, -1, 0, -4)),
    {vector_digest("call"): 70_000},
    150,
    ((1, vector_digest("a/d")),),
    ("requirement",),
    3,
    "tests",
    Kills((vector_digest("o/p"),), (0, -1, -1, -1, -3)),
)


def test_a_memory_is_read_as_it_was_written(tmp_path: Path) -> None:
    histories = {"Not": HISTORY, "Abs": replace(HISTORY, theirs=None, upstream="")}
    write_history(histories, tmp_path / "history.json")
    assert histories == read_history(tmp_path / "history.json")


def test_no_memory_remembers_nothing(tmp_path: Path) -> None:
    assert {} == read_history(tmp_path / "history.json")


def test_a_memory_of_another_format_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text('{"format": 0, "operators": {"Not": 3}}')
    assert {} == read_history(tmp_path / "history.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "operators": {"Not": {}}}'])
def test_what_is_no_memory_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "history.json").write_text(text)
    with pytest.raises(BadInputError, match="no history of mutants"):
        read_history(tmp_path / "history.json")


def test_what_became_of_mutants_is_remembered() -> None:
    kills = kills_of(
        [
            Finding("a", Status.KILLED, "add-14/x"),
            Finding("b", Status.EQUIVALENT, "3 calls"),
            Finding("c", Status.KILLED, "it does not even load"),
            Finding("d", Status.KILLED, "add-14/x"),
            Finding("e", Status.NOT_COVERED),
            Finding("f", Status.SURVIVED, "a call"),
        ]
    )
    assert (0, -1, -4, 0, -3, -2) == kills.of
    assert [Status.KILLED, Status.EQUIVALENT, Status.KILLED] == [
        kills.status(at) for at in range(3)
    ]
    assert (vector_digest("add-14/x"), None) == (kills.by(3), kills.by(2))


def test_tests_of_others_have_a_digest_by_operator(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text('{"vectors": {"valid": {"not-1/a/node": "0", "not-1/b/node": "1"}}}')
    before = upstream_digests(path)
    path.write_text('{"vectors": {"valid": {"not-1/a/node": "0", "not-1/b/node": "2"}}}')
    assert {"Not"} == set(before)
    assert before != upstream_digests(path)


def test_a_call_that_cannot_be_told_from_others_has_no_digest() -> None:
    call = Call(1, {}, {})
    assert call_digest(call) == call_digest(replace(call))
    assert call_digest(call) != call_digest(replace(call, attributes={"axis": 1}))
    unknown: Any = object()
    assert call_digest(replace(call, attributes={"body": unknown})) is None


def test_a_graph_that_runs_is_what_runs_and_what_it_takes() -> None:
    digests = [_call_digests(name) for name in ("x", "x", "y")]
    assert digests[0] == digests[1]
    assert digests[0].isdisjoint(digests[2])
    assert None not in digests[0]


def _call_digests(taken: str) -> set[str | None]:
    """Of the calls of an If whose branch takes a value from around it."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["": 21]>
        g (bool c, float[1] x, float[1] y) => (float[1] z)
        {{
            z = If (c) <then_branch = t () => (float[1] a) {{ a = Neg ({taken}) }},
                        else_branch = e () => (float[1] b) {{ b = Neg (x) }}>
        }}"""
    )
    found = set()

    class Noting(Session):
        def answer(self, call: Call) -> Result:
            found.add(call_digest(call))
            return super().answer(call)

    session = Noting(read_model(model, None), installed_signatures())
    x, y = (Tensor("float32", (1,), bytes([0, 0, 128, item])) for item in (63, 64))
    session.run({"c": Tensor("bool", (), b"\1"), "x": x, "y": y})
    return found
