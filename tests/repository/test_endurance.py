"""What comes from outside, spoiled at random: nothing ends a run, nothing right fails.

The figures of long runs are in docs/reliability.md.
"""

# ruff: noqa: S311, PT017
# S311: the same on every machine is what is wanted of this randomness. PT017: whether anything is
# raised is not the question, but what is raised where it is.

from __future__ import annotations

import base64
import json
import re
import signal
import subprocess
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from commands import VALIDATE, run_words, validate
from endurance import rounds
from misbehaviour import run_corpus, vector_id
from onnx import TensorProto, helper
from runnable_corpus import runnable_corpus
from sample_specs import CORPUS, RESHAPE, TYPES
from spoiling import SEED, line_of, spoiled, spoiled_bytes

from onnx_conformance.core.corpus.corpus import load, open_corpus, read_metadata
from onnx_conformance.core.corpus.requirements import requirements
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.errors import BackendUnusableError, ConformanceError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.validator.gate.entries import read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.host import starting
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.protocol import (
    Description,
    ProtocolError,
    parse_description,
    parse_object,
    parse_reply,
)
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.judging.judge import judge
from onnx_conformance.validator.judging.verdicts import Outputs, Verdict
from onnx_conformance.validator.results.file_format import read_results, row_record
from onnx_conformance.validator.results.records import make_row
from onnx_conformance.validator.running.planning import make_plan

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 2.0
"""Seconds that reading and judging one spoiled thing may take."""
_CHILDREN = 12

DESCRIPTION = {
    "protocol": 1,
    "name": "runtime",
    "version": "1.0",
    "model": "path",
    "adapts": [{"adaptation": "freeze", "reason": "none"}],
    "max_opset": 20,
    "judges": "values",
    "details": {"device": "cpu"},
}
REPLIES: tuple[dict[str, Any], ...] = (
    {
        "id": "a/b/c",
        "outputs": [[{"type": "int64", "shape": [2], "data": "AgAAAAAAAAADAAAAAAAAAA=="}]],
    },
    {"id": "a/b/c", "outputs": [[{"type": "string", "shape": [2], "data": ["YQ==", ""]}]]},
    {
        "id": "a/b/c",
        "outputs": [[{"sequence": [{"type": "float16", "shape": [1], "data": "ADw="}] * 2}]],
    },
    {
        "id": "a/b/c",
        "outputs": [
            [
                {
                    "map": {
                        "keys": {"type": "int64", "shape": [1], "data": "AQAAAAAAAAA="},
                        "values": [{"optional": None}],
                    }
                }
            ]
        ],
    },
    {"id": "a/b/c", "rejected": {"phase": "load", "message": "no such operator"}},
    {"id": "a/b/c", "unsupported": "the API has no such type"},
    {"id": "a/b/c", "error": "the harness failed"},
)


def in_time(began: float) -> bool:
    return time.monotonic() - began < LONGEST


@pytest.mark.filterwarnings("ignore:invalid value")  # NumPy on what a spoiled float says
@rounds(3000, 60_000)
def test_spoiled_replies_in_this_process(tmp_path: Path, rounds: int) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("one",))
    loaded = load(open_corpus(root).entries[vector_id("one")])
    data_sets = data_sets_of(loaded.vector, loaded.files, "here")
    right = Tensor("int64", (2,), (2).to_bytes(8, "little") + (3).to_bytes(8, "little"))
    refused = 0
    for number in range(rounds):
        random = Random(f"{SEED} {number}")
        reply = random.choice(REPLIES)
        line = line_of(spoiled(random, reply))
        if random.random() < 0.3:
            line = spoiled_bytes(random, line)
        began = time.monotonic()
        try:
            found = parse_reply(parse_object(line), "a/b/c", ["shape"], 1)
        except ProtocolError as error:
            refused += 1
            assert len(str(error)) < 3000
        else:
            judgement = judge(loaded.vector, data_sets, {}, found)
            row = make_row(loaded.vector, judgement, 0.0)
            json.dumps(row_record(row), allow_nan=False).encode()
            if judgement.verdict is Verdict.PASS:
                assert isinstance(found, Outputs)
                value = found.data_sets[0][0].value
                held = getattr(value, "value", value)
                assert (right.shape, right.data) == (held.shape, held.data)
        assert in_time(began), line[:1000]
    assert rounds / 3 < refused < rounds


@rounds(3000, 60_000)
def test_spoiled_handshakes_in_this_process(rounds: int) -> None:
    taken = 0
    for number in range(rounds):
        random = Random(f"{SEED} {number}")
        line = line_of(spoiled(random, DESCRIPTION))
        if random.random() < 0.3:
            line = spoiled_bytes(random, line)
        began = time.monotonic()
        try:
            description = parse_description(parse_object(line))
        except ProtocolError as error:
            assert len(str(error)) < 3000
        else:
            taken += 1
            json.dumps(description.raw, allow_nan=False).encode()
        assert in_time(began), line[:1000]
    assert 0 < taken < rounds


@pytest.mark.slow
@rounds(600, 12_000)
def test_child_that_spoils_its_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    spoilt = tmp_path / "spoilt"
    spoilt.mkdir()
    # Good ones first, and then among the others: a backend that answers none of its first vectors
    # is given up.
    bad = [f"c{number:05}bad" for number in range(rounds)]
    good = [f"c{number:05}good" for number in range(0, rounds, 4)]
    good += [f"a{number:05}good" for number in range(2 * _CHILDREN)]
    kept = {*good}
    cases = sorted([*bad, *good])
    for place, case in enumerate(cases):
        right = right_reply(vector_id(case), 3 + place)
        (spoilt / case).write_bytes(line_of(right) if case in kept else spoiled_reply(case, right))
    monkeypatch.setenv("SPOILED", str(spoilt))
    # Without a row there is no element: requests are short, which a shell reads byte by byte.
    root = runnable_corpus(tmp_path / "vectors", cases, rows=0)
    ran = run_corpus(root, "spoils_its_replies", Settings(jobs=_CHILDREN, timeout=5, warm_up=0))
    assert {*bad, *good} == set(ran.rows)
    failed = [case for case in good if ran.verdicts[case] != "pass"]
    assert ([], "") == (failed, ran.engine.unusable)
    assert len({ran.verdicts[case] for case in bad}) >= 5
    # A reply may say the same in other words, such as with a key that nobody knows.
    assert sum(ran.verdicts[case] == "pass" for case in bad) < rounds / 10


@rounds(100, 3000)
def test_child_that_spoils_its_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    monkeypatch.setattr(starting, "PAUSES", (0.0, 0.0))
    spoilt = tmp_path / "describe"
    monkeypatch.setenv("SPOILED", str(spoilt))
    root = runnable_corpus(tmp_path / "vectors", ("one",))
    refused = 0
    for number in range(rounds):
        random = Random(f"{SEED} handshake {number}")
        broken = random.random() < 0.3
        line = (
            spoiled_bytes(random, line_of(DESCRIPTION))
            if broken
            else line_of(spoiled(random, DESCRIPTION))
        )
        spoilt.write_bytes(line)
        try:
            ran = run_corpus(root, "spoils_its_handshake", Settings(timeout=10))
        except BackendUnusableError as error:
            refused += 1
            assert len(str(error)) < 3000
        else:
            assert ran.rows["one"].verdict in set(Verdict)
    assert 0 < refused < rounds


def spoiled_reply(case: str, right: dict[str, Any]) -> bytes:
    random = Random(f"{SEED} {case}")
    if random.random() < 0.3:
        return spoiled_bytes(random, line_of(right))
    return line_of(spoiled(random, right))


def right_reply(name: str, width: int) -> dict[str, Any]:
    """What a vector of the runnable corpus must be answered: its input has shape [0, width]."""
    data = base64.b64encode((0).to_bytes(8, "little") + width.to_bytes(8, "little")).decode()
    return {"id": name, "outputs": [[{"type": "int64", "shape": [2], "data": data}]]}


# --- files ------------------------------------------------------------------------------------


def corpus_is_read(root: Path) -> None:
    """Open a corpus and make each of its vectors ready: what nobody can use is an error of ours."""
    try:
        corpus = open_corpus(root)
        known = requirements(root)
    except ConformanceError as error:
        assert len(str(error)) < 100_000
        return
    assert isinstance(known, dict)
    make_plan(corpus, tuple(corpus.entries.values()))
    prepare = Preparer(corpus.entries)
    for entry in corpus.entries.values():
        prepare(entry.id, Description("n", "1", "inline"))
        try:
            read_metadata(entry)
            loaded = load(entry)
            data_sets_of(loaded.vector, loaded.files, "here")
            permitted_outputs_of(loaded.vector, loaded.files, "here")
        except ConformanceError:
            pass


def spoiled_document(random: Random, content: bytes) -> bytes:
    if random.random() < 0.3:
        return spoiled_bytes(random, content)
    return line_of(spoiled(random, json.loads(content)))


@rounds(250, 4000)
@pytest.mark.parametrize("name", ["data.json", "manifest.json", "requirements.json"])
def test_spoiled_documents_of_a_corpus(tmp_path: Path, rounds: int, name: str) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("one", "two"))
    words = {"Shape": {"x": {"text": "t", "document": "Shape-15", "part": "summary"}}}
    (root / "requirements.json").write_text(json.dumps(words))
    if name == "data.json":
        (root / "manifest.json").unlink()
    path = next(root.rglob(name))
    content = path.read_bytes()
    for number in range(rounds):
        path.write_bytes(spoiled_document(Random(f"{SEED} {name} {number}"), content))
        began = time.monotonic()
        corpus_is_read(root)
        assert in_time(began)


@rounds(400, 12_000)
@pytest.mark.parametrize("name", ["model.onnx", "input_0.pb", "output_0.pb"])
def test_spoiled_protobufs_of_a_corpus(tmp_path: Path, rounds: int, name: str) -> None:
    """As plain vectors, whose model says what they are."""
    folder = tmp_path / "vectors" / "test"
    (folder / "test_data_set_0").mkdir(parents=True)
    value = helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, [1])
    item = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    node = helper.make_node("Identity", ["y"], ["y"])
    model = helper.make_model(helper.make_graph([node], "g", [item, value], [item]))
    tensor = helper.make_tensor("y", TensorProto.FLOAT, [1], [1.0])
    files = {
        "model.onnx": model,
        "test_data_set_0/input_0.pb": tensor,
        "test_data_set_0/output_0.pb": tensor,
    }
    for place, message in files.items():
        (folder / place).write_bytes(message.SerializeToString())
    path = next(folder.rglob(name))
    content = path.read_bytes()
    for number in range(rounds):
        path.write_bytes(spoiled_bytes(Random(f"{SEED} {name} {number}"), content))
        began = time.monotonic()
        corpus_is_read(tmp_path / "vectors")
        assert in_time(began)


@rounds(400, 6000)
def test_spoiled_results(tmp_path: Path, rounds: int) -> None:
    from onnx_conformance.validator.reports import html, junit, markdown, terminal
    from onnx_conformance.validator.results.merging import merge, read_sources

    root = runnable_corpus(tmp_path / "vectors", ("good", "bad"))
    path = tmp_path / "results"
    validate(*run_words(root, "segfaults"), "--results", path)
    lines = path.read_bytes().splitlines()
    read = 0
    for number in range(rounds):
        random = Random(f"{SEED} {number}")
        index = random.randrange(len(lines))
        changed = [*lines]
        changed[index] = spoiled_document(random, lines[index])
        path.write_bytes(b"\n".join(changed) + b"\n")
        began = time.monotonic()
        try:
            columns = merge(read_sources([path]))
        except ConformanceError as error:
            assert len(str(error)) < 100_000
        else:
            read += 1
            for module in (html, junit, markdown, terminal):
                module.render(columns).encode("utf-8", "backslashreplace")
        assert in_time(began)
    assert 0 < read < rounds


BASELINE = b"""\
# Known failures
format: 1
entries:
  - id: shape-15/one/float32  # a comment
    verdict: crashed
    reason: "known, see #12"
    link: https://example.org/12
  - {id: 'shape-*/tw?/*', verdict: [rejected, crashed], reason: b, flaky: true, kind: valid}
"""


@rounds(400, 12_000)
def test_spoiled_baselines(tmp_path: Path, rounds: int) -> None:
    corpus = open_corpus(runnable_corpus(tmp_path / "vectors", ("one", "two")))
    path = tmp_path / "baseline.yaml"
    path.write_bytes(BASELINE)
    assert 2 == len(expectations_of(read_baseline(path), corpus.entries).of)
    for number in range(rounds):
        path.write_bytes(spoiled_bytes(Random(f"{SEED} {number}"), BASELINE))
        began = time.monotonic()
        try:
            expectations_of(read_baseline(path), corpus.entries)
        except ConformanceError as error:
            assert re.match(rf"{re.escape(str(path))}[:\d]*", str(error))
        assert in_time(began)


@rounds(400, 12_000)
def test_spoiled_specs(tmp_path: Path, rounds: int) -> None:
    (tmp_path / "corpus.yaml").write_text(CORPUS)
    (tmp_path / "types.yaml").write_text(TYPES)
    path = tmp_path / "reshape.yaml"
    spec = RESHAPE.partition("\nrulings:")[0] + "\n"
    path.write_text(spec)
    assert ["Reshape"] == [spec.operator for spec in read_specs(tmp_path)[1]]
    for number in range(rounds):
        path.write_bytes(spoiled_bytes(Random(f"{SEED} {number}"), spec.encode()))
        began = time.monotonic()
        try:
            read_specs(tmp_path)
        except ConformanceError as error:
            assert str(tmp_path) in str(error)
        assert in_time(began)


# --- kills ------------------------------------------------------------------------------------


@rounds(4, 60)
def test_killed_runs_are_continued_to_the_same_rows(tmp_path: Path, rounds: int) -> None:
    cases = [f"{kind}{number}" for number in range(40) for kind in ("good", "bad")]
    root = runnable_corpus(tmp_path / "vectors", cases)
    results = tmp_path / "results"
    words = [*run_words(root, "int32_instead"), "--results", str(results)]
    whole = _rows(_finish(words, results))
    for number in range(rounds):
        random = Random(f"{SEED} {number}")
        results.unlink()
        for _ in range(random.randint(1, 3)):
            process = subprocess.Popen(
                [*VALIDATE, *words, "--resume"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(random.uniform(0.05, 0.6))
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert whole == _rows(_finish([*words, "--resume"], results))


def _finish(words: list[str], results: Path) -> Path:
    done = validate(*words)
    assert 1 == done.returncode, done.stderr
    return results


def _rows(path: Path) -> dict[str, str]:
    found = read_results(path)
    assert () == found.missing
    return {row.id: row.verdict for row in found.rows}
