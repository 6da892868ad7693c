"""Mutants that are asked again what killed them, and how far what is remembered is trusted."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import onnx
import pytest
from places import SPECS
from strength import again as again_module
from strength import assessing
from strength.again import measure_again, remembered, theirs
from strength.assessing import Fate, Finding, Looking
from strength.evidence import Evidence
from strength.measuring import Effort, Measured, measure
from strength.memory import (
    Kills,
    Memory,
    call_digest,
    code_of,
    kills_of,
    read_memory,
    upstream_digests,
    vector_digest,
    write_memory,
)
from strength.mutants import Mutant, all_mutants
from strength.requirements import suspicious

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
    folder = tmp_path_factory.mktemp("vectors")
    command = ["generate", "--specs", str(SPECS), "--output", str(folder), "size-25/*"]
    subprocess.run(
        [sys.executable, "-m", "onnx_conformance.generators.main", *command],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def first(vectors: Path) -> Measured:
    return measure("", "Size", vectors, Effort(1, 200, Looking.REQUIREMENTS))


@pytest.fixture(scope="module")
def memory(vectors: Path, first: Measured) -> Memory:
    return remembered("", "Size", vectors, first, code_of("", "Size")).memory


def place_of(first: Measured, fate: Fate) -> int:
    return next(at for at, item in enumerate(first.findings) if item.fate is fate)


def with_fate(memory: Memory, index: int, place: int) -> Memory:
    of = (*memory.ours.of[:index], place, *memory.ours.of[index + 1 :])
    return replace(memory, ours=replace(memory.ours, of=of))


def test_what_is_asked_again_comes_to_the_same(
    vectors: Path, first: Measured, memory: Memory
) -> None:
    again = measure_again("", "Size", vectors, memory, _TURN)
    assert again is not None
    assert [(item.name, item.fate) for item in first.findings] == [
        (item.name, item.fate) for item in again.measured.findings
    ]
    assert suspicious(first) == suspicious(again.measured)
    assert (first.vectors, first.calls) == (again.measured.vectors, again.measured.calls)
    assert memory.ours == again.memory.ours
    assert memory.calls == again.memory.calls


def test_what_is_not_asked_again_is_no_more_than_answered(
    vectors: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = []
    first = assessing.counted
    monkeypatch.setattr(assessing, "counted", lambda: (counting.append(1), first())[1])
    again = measure_again("", "Size", vectors, memory, _TURN)
    assert again is not None
    assert 2 * len(counting) < len(memory.calls)
    assert memory.steps == again.memory.steps
    counting.clear()
    first_time = measure_again("", "Size", vectors, replace(memory, steps={}), _TURN)
    assert first_time is not None
    assert len(counting) > len(memory.calls)
    assert first_time.memory == again.memory


def test_a_kill_that_is_remembered_is_seen_anew(
    vectors: Path, first: Measured, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = place_of(first, Fate.ALIKE)
    again_of = with_fate(memory, alike, 0)
    again = measure_again("", "Size", vectors, again_of, _TURN)
    assert again is not None
    assert again.measured.findings[alike].fate is Fate.SURVIVING
    monkeypatch.setattr(again_module, "_MOST_LOST", 0)
    assert measure_again("", "Size", vectors, again_of, _TURN) is None


def test_what_no_remembered_vector_kills_is_asked_all(
    vectors: Path, first: Measured, memory: Memory
) -> None:
    gone = tuple(vector_digest(f"size-25/gone{index}") for index in memory.ours.vectors)
    lost = replace(memory.ours, vectors=gone)
    killed = place_of(first, Fate.KILLED)
    alone = tuple(-1 if at != killed and of >= 0 else of for at, of in enumerate(lost.of))
    changed = replace(memory, ours=replace(lost, of=alone))
    again = measure_again("", "Size", vectors, changed, _TURN)
    assert again is not None
    assert again.measured.findings[killed].fate is Fate.KILLED


def test_where_another_vector_kills_that_is_remembered(
    vectors: Path, first: Measured, memory: Memory
) -> None:
    index = place_of(first, Fate.KILLED)
    lost = replace(memory.ours, vectors=(*memory.ours.vectors, vector_digest("size-25/gone")))
    changed = with_fate(replace(memory, ours=lost), index, len(memory.ours.vectors))
    again = measure_again("", "Size", vectors, changed, _TURN)
    assert again is not None
    assert again.measured.findings[index].fate is Fate.KILLED
    assert "/" in again.measured.findings[index].by


def test_what_lived_is_asked_what_is_new(vectors: Path, first: Measured, memory: Memory) -> None:
    names = [item.name for item in first.findings]
    index = names.index("signature: scalars refused")
    alike = with_fate(memory, index, -1)
    scalars = sorted(scalar_calls(vectors) & memory.calls)
    forgot = replace(alike, calls=memory.calls - set(scalars[:10]))
    again = measure_again("", "Size", vectors, forgot, _TURN)
    assert again is not None
    assert again.measured.findings[index].fate is Fate.KILLED


def scalar_calls(vectors: Path) -> set[str]:
    evidence = Evidence(vectors, "", "Size")
    evidence.record(compute)
    calls = [call for item in evidence.exhibits.values() for call in item.calls]
    scalars = [call for call in calls if call.inputs["data"].shape == ()]  # type: ignore[union-attr]
    return {digest for digest in map(call_digest, scalars) if digest is not None}


def test_where_too_much_is_new_everything_is_measured(vectors: Path, memory: Memory) -> None:
    few = frozenset(sorted(memory.calls)[: len(memory.calls) // 2])
    assert measure_again("", "Size", vectors, replace(memory, calls=few), _TURN) is None


def test_where_there_are_other_mutants_everything_is_measured(
    vectors: Path, memory: Memory
) -> None:
    fewer = replace(memory.ours, of=memory.ours.of[1:])
    assert measure_again("", "Size", vectors, replace(memory, ours=fewer), _TURN) is None


def test_a_table_that_lives_is_asked_every_vector_once(
    vectors: Path, first: Measured, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = place_of(first, Fate.KILLED)
    monkeypatch.setattr(again_module, "all_mutants", of_a_table(index))
    monkeypatch.setattr(again_module, "_AGAIN", 0.001)  # none of the calls
    lives = replace(with_fate(memory, index, -2), hurried=1, tables=False)
    again = measure_again("", "Size", vectors, lives, _TURN)
    assert again is not None
    assert again.measured.findings[index].fate is Fate.KILLED
    assert (0, True) == (again.memory.hurried, again.memory.tables)
    asked = measure_again("", "Size", vectors, replace(lives, tables=True), _TURN)
    assert asked is not None
    assert asked.measured.findings[index].fate is Fate.SURVIVING


def test_a_table_that_lives_is_asked_every_vector_where_nothing_is_remembered(
    vectors: Path, first: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = place_of(first, Fate.KILLED)
    monkeypatch.setattr(again_module, "all_mutants", of_a_table(index))
    findings = list(first.findings)
    findings[index] = Finding(findings[index].name, Fate.ALIKE)
    lives = replace(first, findings=tuple(findings), hurried=1, argued={findings[index].name: "x"})
    again = remembered("", "Size", vectors, lives, "code")
    assert again.measured.findings[index].fate is Fate.KILLED
    assert {} == again.measured.argued
    assert (0, True) == (again.memory.hurried, again.memory.tables)
    monkeypatch.setattr(again_module, "_OF_TABLES", 0)
    again = remembered("", "Size", vectors, lives, "code")
    assert again.measured.findings[index].fate is Fate.ALIKE


def of_a_table(index: int) -> Any:  # noqa: ANN401  as all_mutants
    def found(*arguments: Any) -> list[Mutant]:  # noqa: ANN401
        mutants = list(all_mutants(*arguments))
        mutants[index] = replace(mutants[index], lines=(), file="tables.py")
        return mutants

    return found


def test_what_lived_still_lives(vectors: Path, first: Measured, memory: Memory) -> None:
    alike = place_of(first, Fate.ALIKE)
    again = measure_again("", "Size", vectors, with_fate(memory, alike, -2), _TURN)
    assert again is not None
    assert again.measured.findings[alike].fate is Fate.SURVIVING
    assert again.measured.percent < 100.0


def test_what_showed_a_requirement_shows_it_again(vectors: Path, memory: Memory) -> None:
    again = measure_again("", "Size", vectors, memory, _TURN)
    assert again is not None
    more = measure_again("", "Size", vectors, again.memory, _TURN)
    assert more is not None
    assert again.memory == more.memory


def test_what_other_tests_kill_is_the_same_where_it_is_remembered(
    vectors: Path, first: Measured
) -> None:
    found = theirs("", "Size", vectors, None)
    assert (first.vectors, first.count(Fate.KILLED)) == (found.vectors, found.killed)
    assert found == theirs("", "Size", vectors, found.kills)
    everything = replace(found.kills, of=tuple(0 for _ in found.kills.of))
    assert found == theirs("", "Size", vectors, everything)
    assert 0 == theirs("", "Not", vectors, None).killed


# --- the file ---


MEMORY = Memory(
    "code",
    Kills((vector_digest("a/b"), vector_digest("a/c")), (0, 1, -1, 0, -4)),
    frozenset({vector_digest("call")}),
    150,
    ((1, vector_digest("a/d")),),
    ("requirement",),
    3,
    "tests",
    Kills((vector_digest("o/p"),), (0, -1, -1, -1, -3)),
    tables=True,
    steps={vector_digest("call"): 70_000},
)


def test_a_memory_is_read_as_it_was_written(tmp_path: Path) -> None:
    memories = {"Not": MEMORY, "Abs": replace(MEMORY, theirs=None, upstream="")}
    write_memory(memories, tmp_path / "memory.json")
    assert memories == read_memory(tmp_path / "memory.json")


def test_no_memory_remembers_nothing(tmp_path: Path) -> None:
    assert {} == read_memory(tmp_path / "memory.json")


def test_a_memory_of_another_format_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"format": 0, "operators": {"Not": 3}}')
    assert {} == read_memory(tmp_path / "memory.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "operators": {"Not": {}}}'])
def test_what_is_no_memory_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory.json").write_text(text)
    with pytest.raises(BadInputError, match="no memory of mutants"):
        read_memory(tmp_path / "memory.json")


def test_what_became_of_mutants_is_remembered() -> None:
    kills = kills_of(
        [
            Finding("a", Fate.KILLED, "add-14/x"),
            Finding("b", Fate.ALIKE, "3 calls"),
            Finding("c", Fate.KILLED, "it does not even load"),
            Finding("d", Fate.KILLED, "add-14/x"),
            Finding("e", Fate.UNREACHED),
            Finding("f", Fate.SURVIVING, "a call"),
        ]
    )
    assert (0, -1, -4, 0, -3, -2) == kills.of
    assert [Fate.KILLED, Fate.ALIKE, Fate.KILLED] == [kills.fate(at) for at in range(3)]
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
