"""The judge in C++ beside the skeleton: the same verdicts as ours, on every kind of reply."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from made_once import made_once
from model_files import write_model
from places import VECTORS
from recorded_replies import judged, recording, replies

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.values.tensors import Sampled, Tensor
from onnx_conformance.core.values.wire import to_wire
from onnx_conformance.generators.cutting.cutting import Options, cut_model
from onnx_conformance.generators.cutting.writing import write_cut
from onnx_conformance.validator.commands.harness.new import SKELETONS, skeleton_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from recorded_replies import Reply

    from onnx_conformance.core.corpus.corpus import LoadedVector

DESCRIPTION = '{"protocol":1,"name":"x","version":"1","model":"path"}'
RELU = VECTORS / "valid/relu-14"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("c++") is None, reason="c++ is not installed"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judge around the skeleton as it is, which supports nothing."""
    strict = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-DJUDGE"]
    words = ["c++", *strict, str(SKELETONS / "cpp/harness.cpp"), "-o"]

    def compiled(folder: Path) -> None:
        subprocess.run([*words, str(folder / "judge")], check=True, timeout=300)

    return made_once(tmp_path_factory, "judge", compiled) / "judge"


@cache
def sample() -> tuple[LoadedVector, ...]:
    """Vectors of the core: one of each way to be judged for each element type, and controls."""
    corpus = open_corpus(VECTORS)
    chosen: dict[object, LoadedVector] = {}
    for entry in corpus.entries.values():
        loaded = load(entry)
        vector = loaded.vector
        limits = frozenset(
            name.rpartition("/")[2].partition("_0")[0] for name in loaded.files if "low_" in name
        )
        laws = frozenset(law["law"] for listed in vector.laws.values() for law in listed)
        kinds = frozenset(vector.extra.get("value_kinds", {}).values())
        way = (vector.kind, frozenset(vector.types.values()), limits, laws, kinds)
        chosen.setdefault((way, vector.permitted_by, len(vector.outputs) > 1), loaded)
    by_id = {item.vector.id: item for item in chosen.values()}
    for item in list(by_id.values()):
        control = item.vector.control
        if control and control in corpus.entries:
            by_id.setdefault(control, load(corpus.entries[control]))
    return tuple(by_id.values())


def verdicts(
    program: Path,
    vectors: Sequence[LoadedVector],
    recorded: Mapping[str, Reply],
    profile: str,
    folder: Path,
) -> dict[str, tuple[str, str]]:
    """What the judge in C++ says: for each vector the verdict, and the permitted result taken."""
    replay = folder / "replies.jsonl"
    lines = [json.dumps({"id": name, **reply}) for name, reply in recorded.items()]
    replay.write_text("\n".join(lines) + "\n", encoding="utf-8")
    folders = [item.location for item in vectors]
    done = run(program, "--profile", profile, "--replay", str(replay), *folders)
    found = {}
    for line in done.stdout.splitlines():
        verdict, vector_id, words = line.split("\t")
        taken = words[1:-1] if words.startswith("(") else ""
        found[vector_id] = (verdict, taken)
    return found


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("profile", ["ieee", "gpu"])
@pytest.mark.parametrize("number", range(8))
def test_both_judges_say_the_same_of_recorded_replies(
    program: Path, tmp_path: Path, number: int, profile: str
) -> None:
    recorded = recording(sample(), number)
    expected = judged(sample(), recorded, profile)
    assert expected == verdicts(program, sample(), recorded, profile, tmp_path)


def test_the_recorded_replies_bring_about_every_verdict() -> None:
    found: Counter[str] = Counter()
    for number in range(8):
        found += Counter(
            verdict for verdict, _ in judged(sample(), recording(sample(), number), "ieee").values()
        )
    ends = ("crashed", "timed-out", "protocol-error", "error")
    wrong = ("wrong-count", "wrong-type", "wrong-shape", "wrong-value", "accepted-invalid")
    assert {"pass", "rejected", "unsupported", "inconclusive", *wrong, *ends} == set(found)


def test_replies_between_the_limits_of_the_profiles_are_told_apart(
    program: Path, tmp_path: Path
) -> None:
    bounded = next(item for item in sample() if "test_data_set_0/gpu_low_0.pb" in item.files)
    known = dict(replies(bounded))
    recorded = {bounded.vector.id: known["gpu low, as it is"]}
    found = [
        verdicts(program, [bounded], recorded, profile, tmp_path)[bounded.vector.id][0]
        for profile in ("ieee", "gpu")
    ]
    assert ["wrong-value", "pass"] == found


def test_a_vector_that_cannot_be_read_is_no_verdict_on_the_runtime(
    program: Path, tmp_path: Path
) -> None:
    spoiled = tmp_path / "vector"
    shutil.copytree(RELU / "test_relu_14_example_float32", spoiled)
    (spoiled / "test_data_set_0/output_0.pb").write_bytes(b"\x0a\xff")
    done = run(program, str(spoiled))
    assert (3, "bad-vector") == (done.returncode, done.stdout.partition("\t")[0])


def test_a_runtime_that_supports_nothing_has_passed_nothing(program: Path) -> None:
    done = run(program, str(RELU))
    assert (77, {"unsupported"}) == (
        done.returncode,
        {line.partition("\t")[0] for line in done.stdout.splitlines()},
    )


def test_a_folder_without_vectors_is_an_error(program: Path, tmp_path: Path) -> None:
    assert 5 == run(program, str(tmp_path)).returncode


def test_usage_is_said(program: Path) -> None:
    done = run(program, "--profile", "fpga", str(RELU))
    assert (2, True) == (done.returncode, "--profile is ieee or gpu" in done.stderr)


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skeleton built by CMake around a runtime that gives its inputs back, and dies of NaN."""
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    return made_once(tmp_path_factory, "echo", build_echo) / "build"


def build_echo(folder: Path) -> None:
    for name, content in skeleton_files("cpp").items():
        (folder / name).write_text(content, encoding="utf-8")
    body = (
        "for (size_t i = 0; i + 4 <= inputs[0].data.size(); i += 4)"
        ' if (!inputs[0].data.compare(i + 2, 2, "\\xc0\\x7f")) abort(); return inputs'
    )
    source = (folder / "harness.cpp").read_text(encoding="utf-8")
    source = source.replace('throw Unsupported("run is not written yet")', body)
    (folder / "harness.cpp").write_text(source, encoding="utf-8")
    build = ["cmake", "-S", str(folder), "-B", str(folder / "build")]
    select = [f"-DONNX_VECTORS={VECTORS}", "-DONNX_SELECT=identity-25", "-DCMAKE_BUILD_TYPE=Debug"]
    subprocess.run([*build, *select], check=True, timeout=120, capture_output=True)
    words = ["cmake", "--build", str(folder / "build"), "--target", "judge"]
    subprocess.run(words, check=True, timeout=300, capture_output=True)


def test_the_harness_of_the_folder_is_judged_and_a_crash_costs_one_vector(echo: Path) -> None:
    folders = [str(VECTORS / "valid/identity-25"), str(VECTORS / "latitude/relu-14")]
    done = run(echo / "judge", *folders)
    found = [line.split("\t")[:2] for line in done.stdout.splitlines()]
    assert ["pass", "identity-25/example/float32"] in found
    assert ["crashed", "relu-14/with_nan/float32"] in found
    assert 1 == done.returncode


def test_ctest_has_a_test_for_each_vector(echo: Path) -> None:
    words = ["ctest", "--test-dir", str(echo)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    ours = [item for item in open_corpus(VECTORS).entries if item.startswith("identity-25/")]
    passed, skipped = done.stdout.count(" Passed "), done.stdout.count("***Skipped")
    failed = done.stdout.count("***Failed")
    assert len(ours) == passed + skipped + failed
    assert 0 not in (passed, skipped)  # sequences cannot be carried by the skeleton


def test_a_program_that_speaks_the_protocol_is_judged(program: Path, tmp_path: Path) -> None:
    answers = tmp_path / "harness.py"
    relu = RELU / "test_relu_14_example_float32"
    loaded = load(open_corpus(VECTORS).entries["relu-14/example/float32"])
    reply = json.dumps(dict(replies(loaded))["due, as it is"])
    answers.write_text(
        "import json\n"
        "input(); print('noise')\n"
        'print(\'{"protocol":1,"name":"x","version":"1","model":"path"}\', flush=True)\n'
        "request = json.loads(input())\n"
        f"print(json.dumps({{'id': request['id'], **json.loads({reply!r})}}), flush=True)\n",
        encoding="utf-8",
    )
    done = run(program, "--command", f"{sys.executable} {answers}", str(relu))
    assert (0, "pass\trelu-14/example/float32\t\n") == (done.returncode, done.stdout)


@pytest.mark.parametrize(
    ("what", "verdict"), [("os.abort()", "crashed"), ("time.sleep(60)", "timed-out")]
)
def test_a_program_that_dies_or_hangs_is_blamed(
    program: Path, tmp_path: Path, what: str, verdict: str
) -> None:
    script = tmp_path / "harness.py"
    script.write_text(
        "import os, time\n"
        "input()\n"
        'print(\'{"protocol":1,"name":"x","version":"1","model":"path"}\', flush=True)\n'
        f"input() and {what}\n",
        encoding="utf-8",
    )
    relu = str(RELU / "test_relu_14_example_float32")
    done = run(program, "--timeout", "3", "--command", f"{sys.executable} {script}", relu)
    assert (1, verdict) == (done.returncode, done.stdout.partition("\t")[0])


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadedVector, ...]:
    """Vectors of which some elements are compared, exact ones and one with limits."""
    folder = tmp_path_factory.mktemp("partial")
    text = """<ir_version: 8, opset_import: ["": 17]>
    g (float[40,30] x, float[30,9] w) => (float[40,9] y)
    { a = Relu(x) b = Transpose(w) c = Transpose(b) y = MatMul(a, c) }"""
    cut = cut_model(list_uses(write_model(folder, text)), Options(work=100))
    sampled = [item for item in cut.vectors if item.vector.compared]
    write_cut(sampled, "0" * 64, folder / "cut")
    return tuple(map(load, open_corpus(folder / "cut").entries.values()))


@pytest.mark.parametrize("number", range(8))
def test_both_judges_compare_the_elements_that_a_vector_says(
    program: Path, tmp_path: Path, partial: tuple[LoadedVector, ...], number: int
) -> None:
    recorded = recording(partial, number)
    expected = judged(partial, recorded, "ieee")
    assert 2 <= len(expected)
    assert expected == verdicts(program, partial, recorded, "ieee", tmp_path)


def test_an_element_that_is_not_compared_is_right_and_one_that_is_can_be_wrong(
    program: Path, tmp_path: Path, partial: tuple[LoadedVector, ...]
) -> None:
    vector = partial[0]
    due = data_sets_of(vector.vector, vector.files, "here")[0].outputs[0].value
    assert isinstance(due, Sampled)
    outside = next(place for place in range(due.element_count) if place not in due.positions)
    found = []
    for place in (outside, due.positions[0]):
        data = bytearray(due.data)  # type: ignore[arg-type]
        data[4 * place : 4 * place + 4] = np.float32(77).tobytes()
        reply = {"outputs": [[to_wire(Tensor(due.type, due.shape, bytes(data)))]]}
        recorded = {vector.vector.id: reply}
        found.append(verdicts(program, [vector], recorded, "ieee", tmp_path)[vector.vector.id][0])
        assert (found[-1], "") == judged([vector], recorded, "ieee")[vector.vector.id]
    assert ["pass", "wrong-value"] == found
