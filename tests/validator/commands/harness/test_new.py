"""The skeletons: each must work as it is, in the language that it is in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from harness_client import HarnessClient, raw, shape_model, strings, tensor

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.validator.commands.harness.new import LANGUAGES, skeleton_files
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

X = tensor(np.zeros((2, 3), np.float32), "x")
Words = tuple[str, ...]
NEEDS = {
    "python": sys.executable,
    "javascript": "node",
    "c": "cc",
    "cpp": "c++",
    "go": "go",
    "java": "javac",
    "rust": "cargo",
}
# Where each skeleton has nothing to run yet, and what gives the inputs back instead.
ECHO = {
    "python": (
        "harness.py",
        'raise UnsupportedError("run is not written yet")',
        "return list(inputs.values())",
    ),
    "javascript": (
        "harness.mjs",
        'throw new Unsupported("run is not written yet")',
        "return inputs",
    ),
    "c": (
        "harness.c",
        'return p1_unsupported(call, "run is not written yet")',
        "for (size_t i = 0; i < output_count; ++i) results[i] = inputs[i];\n  return P1_OK",
    ),
    "cpp": ("harness.cpp", 'throw Unsupported("run is not written yet")', "return inputs"),
    "go": (
        "harness.go",
        'return nil, &Unsupported{"run is not written yet"}',
        # A nil slice, as Go programs have for what is empty.
        "if len(inputs[0].Shape) == 0 {\n\t\tinputs[0].Shape = nil\n\t}\n\treturn inputs, nil",
    ),
    "java": (
        "Harness.java",
        'throw new Protocol1.Unsupported("run is not written yet")',
        "return inputs",
    ),
    "rust": (
        "src/main.rs",
        'Err(Failure::Unsupported("run is not written yet".into()))',
        "Ok(_inputs.to_vec())",
    ),
}
# Where each skeleton leaves out what its runtime supports, and what says it instead.
CLAIMS = {
    "python": ("PROFILE: dict[str, Any] | None = None", 'PROFILE = {"operators": ["Relu"]}'),
    "javascript": ("PROFILE = undefined", 'PROFILE = {"operators": ["Relu"]}'),
    "c": ("/* What the runtime", r'description->profile = "{\"operators\":\n[\"Relu\"]}"; /*'),
    "cpp": (
        "// description.profile",
        """description.profile = R"({"operators":\n["Relu"]})"; //""",
    ),
    "go": ("// Profile:", """Profile: []byte(`{"operators": ["Relu"]}`), //"""),
    "java": ("// description.prof", r'description.profile = "{\"operators\": [\"Relu\"]}"; //'),
    "rust": ("profile: None", """profile: Some(r#"{"operators":\n["Relu"]}"#)"""),
}


# Compiling these takes seconds.
BUILT = [
    pytest.param(name, marks=pytest.mark.slow if name in {"cpp", "java", "rust"} else ())
    for name in LANGUAGES
]


@pytest.fixture(scope="module", params=BUILT)
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Words:
    """The command that runs a skeleton, which is written and built for the module."""
    folder = tmp_path_factory.mktemp(request.param) / "harness"
    write(request.param, folder)
    return build(request.param, folder)


@pytest.fixture(scope="module", params=BUILT)
def echo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Words:
    """The command that runs a skeleton whose runtime gives its inputs back."""
    folder = tmp_path_factory.mktemp(request.param) / "echo"
    write(request.param, folder)
    name, placeholder, body = ECHO[request.param]
    source = (folder / name).read_text()
    assert 1 == source.count(placeholder)
    unsaid, said = CLAIMS[request.param]
    assert 1 == source.count(unsaid)
    (folder / name).write_text(source.replace(placeholder, body).replace(unsaid, said))
    return build(request.param, folder)


def write(language: str, folder: Path) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"{NEEDS[language]} is not installed")
    assert 0 == new(language, "--output", str(folder))


def build(language: str, folder: Path) -> Words:
    """Build it as the command says it is to be built; the command that runs it."""
    how, run = LANGUAGES[language]
    environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "GOFLAGS": "-mod=mod"}
    # By a shell, as a person does who pastes it.
    words = ["/bin/sh", "-c", how.format(folder) or "true"]
    subprocess.run(words, check=True, timeout=300, env=environment)
    return tuple(run.format(folder).split())


def new(*arguments: str) -> int:
    return dispatch("onnx-validate", "", COMMANDS, ["harness", "new", *arguments])


def test_a_skeleton_says_what_its_runtime_supports(echo: Words) -> None:
    with HarnessClient(command=echo) as harness:
        assert {"operators": ["Relu"]} == harness.describe()["profile"]


def test_a_skeleton_works_as_it_is_and_supports_nothing(command: Words, tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(shape_model())
    with HarnessClient(command=command) as harness:
        assert "my-runtime" == harness.describe()["name"]
        assert {"unsupported": "run is not written yet"} == harness.run(model, [X])
        assert {"unsupported": "run is not written yet"} == harness.run(shape_model(), [X])
        harness.send({"command": "stop"})
        harness.errors()
        assert 0 == harness.process.returncode


def test_a_skeleton_speaks_the_protocol_and_is_told_that_it_answers_nothing(
    command: Words, capsys: pytest.CaptureFixture[str]
) -> None:
    code = dispatch("onnx-validate", "", COMMANDS, ["harness", "check", "--", *command])
    printed = capsys.readouterr().out
    assert 1 == code, printed
    assert "no model was answered with values" in printed
    assert printed.endswith("the harness speaks protocol 1\n")


@pytest.mark.parametrize(
    "value",
    [
        tensor(np.arange(6, dtype=np.float32).reshape(2, 3), "x"),
        raw("int64", [], b"\1\2\3\4\5\6\7\x88", "x"),
        raw("float16", [0, 2**53 + 1], b"", "x"),
        raw("int4", [3], b"\x21\x03", "x"),
        strings([2, 2], [b"", b"a\0", "\u00e9\U0001f600".encode(), b"\xff"], "x"),
        strings([0], [], "x"),
    ],
    ids=["tensor", "scalar", "huge and empty", "packed", "strings", "no strings"],
)
def test_a_skeleton_carries_every_kind_of_tensor(echo: Words, value: dict[str, Any]) -> None:
    expected = {key: item for key, item in value.items() if key != "name"}
    with HarnessClient(command=echo) as harness:
        harness.describe()
        came = harness.run(shape_model(), [value], [value])
    if echo[0] == "node" and max(value["shape"], default=0) > 2**53:
        assert {"unsupported": "a JavaScript number cannot hold the dimensions"} == {
            key: text.partition(" [")[0] for key, text in came.items()
        }
        return
    came["outputs"] = [[without_name(item) for item in items] for items in came["outputs"]]
    assert {"outputs": [[expected], [expected]]} == came


def without_name(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "name"}


def test_a_skeleton_refuses_an_empty_model(command: Words) -> None:
    with HarnessClient(command=command) as harness:
        harness.describe()
        refused = harness.run(b"", [X])
    assert {"rejected": {"phase": "decode", "message": "the model is empty"}} == refused


def test_a_skeleton_reads_escapes_and_keys_that_it_does_not_know(command: Words) -> None:
    request = (
        '{ "data_sets":[], "outputs" : ["y"],"later":{"a":[1,-2.5e3,true,null,"\\"\\\\\\n"]},'
        ' "model":{"data":"AA=="},"id":"\\u0073hape-1/x/y","command":"run"}\n'
    )
    with HarnessClient(command=command) as harness:
        assert harness.process.stdin is not None
        harness.process.stdin.write(request.encode())
        harness.process.stdin.flush()
        assert {"id": "shape-1/x/y", "outputs": []} == harness.reply()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "harness.py").write_text("mine")
    assert 3 == new("python", "--output", str(tmp_path))
    assert "exists already; choose another --output" in capsys.readouterr().err
    assert "mine" == (tmp_path / "harness.py").read_text()


def test_the_next_steps_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "with space"
    new("cpp", "--output", str(folder))
    printed = capsys.readouterr().out
    assert f"c++ -std=c++17 -O2 '{folder}'/harness.cpp -o '{folder}'/harness" in printed
    assert "onnx-validate harness check -- " in printed


def test_a_skeleton_is_sources_only() -> None:
    assert ["Cargo.toml", "src/main.rs", "src/protocol1.rs"] == list(skeleton_files("rust"))
    assert ["Harness.java", "Protocol1.java"] == list(skeleton_files("java"))
