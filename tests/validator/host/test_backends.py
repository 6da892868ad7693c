from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import UsageError
from onnx_conformance.validator.host.backends import HARNESSES, RUNTIMES, find_backend
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

# Backends whose extra has another name: two settings of one runtime, or what the core brings.
EXTRAS = {"onnxruntime-noopt": "onnxruntime", "version-converter": "onnxruntime"}


def test_a_known_backend_is_started_by_our_own_interpreter() -> None:
    backend = find_backend("onnxruntime-noopt")
    expected = (sys.executable, str(HARNESSES), "onnxruntime", "--no-optimization")
    assert expected == backend.command


def test_another_interpreter_is_used_where_one_is_named() -> None:
    assert "/opt/other/python" == find_backend("tract", "/opt/other/python").command[0]


def test_adaptations_are_part_of_the_name_and_options_of_the_harness() -> None:
    backend = find_backend("tract+freeze+static+int64")
    assert "tract+freeze+static+int64" == backend.name
    assert ("tract", "--freeze", "--static", "--int64") == backend.command[2:]


def test_an_onnx_backend_is_served_by_its_module_name() -> None:
    backend = find_backend("python:onnxruntime.backend+reload")
    assert ("onnx_backend", "onnxruntime.backend", "--reload") == backend.command[2:]


def test_a_command_is_split_as_a_shell_does() -> None:
    assert ("node", "my harness.mjs") == find_backend("command:node 'my harness.mjs'").command


@pytest.mark.parametrize(
    ("name", "python", "words"),
    [
        ("onnxruntim", None, "unknown backend 'onnxruntim'; did you mean 'onnxruntime'?"),
        ("./mine --fast", None, "did you mean 'command:./mine --fast'?"),
        ("bin/harness.py", None, "did you mean 'command:python bin/harness.py'?"),
        ("zzz", None, "`onnx-validate backends` lists them"),
        ("openvino+int64", None, "no adaptation 'int64'; there is freeze, static, reload"),
        ("python:", None, "'python:' needs a module"),
        ("command:", None, "'command:' needs a program"),
        ("command:'", None, "is no command line"),
        ("command:node x", "/bin/python", "--python does not apply"),
    ],
)
def test_a_name_that_is_no_backend_is_explained(name: str, python: str | None, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_backend(name, python)
    assert words in str(caught.value)


def test_every_known_backend_has_a_harness_and_a_name_of_its_own() -> None:
    assert len(KNOWN_BACKENDS) == len({backend.name for backend in KNOWN_BACKENDS})
    for backend in KNOWN_BACKENDS:
        assert (HARNESSES.parent / RUNTIMES / f"{backend.harness}.py").is_file()


def test_every_combination_that_is_listed_can_be_resolved() -> None:
    for backend in KNOWN_BACKENDS:
        for suffix in backend.adapted:
            assert find_backend(f"{backend.name}+{suffix}").command


def test_the_list_says_what_is_usable_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == dispatch("onnx-validate", "", COMMANDS, ["backends", "--json"])
    listed = {item["name"]: item for item in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {backend.name for backend in KNOWN_BACKENDS} == set(listed)
    assert listed["onnxruntime"]["usable"]
    assert "pip install openvino" == listed["openvino"]["install"]


def test_the_list_says_that_a_command_takes_no_adaptation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dispatch("onnx-validate", "", COMMANDS, ["backends"])
    assert "All but command: may be followed by +freeze" in " ".join(
        capsys.readouterr().out.split()
    )


def test_the_list_asks_the_interpreter_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probe = tmp_path / "python"
    probe.write_text("#!/bin/sh\necho '[\"tract\"]'\n")
    probe.chmod(0o755)
    assert 0 == dispatch("onnx-validate", "", COMMANDS, ["backends", "--python", str(probe)])
    lines = [line.split(maxsplit=2)[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["tract", "usable"] in lines
    assert ["onnxruntime", "not"] in lines


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "no such interpreter"), ("#!/bin/sh\necho hello\n", "does not run as Python")],
)
def test_an_interpreter_that_is_none_is_exit_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, words: str
) -> None:
    path = tmp_path / "python"
    if content is not None:
        path.write_text(content)
        path.chmod(0o755)
    assert 4 == dispatch("onnx-validate", "", COMMANDS, ["backends", "--python", str(path)])
    assert words in capsys.readouterr().err


def test_every_backend_has_an_extra_with_what_it_needs() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {re.split(r"[<>=]", item)[0] for item in project["dependencies"]}
    for backend in KNOWN_BACKENDS:
        needed = set(backend.install.split()) - core
        extra = project["optional-dependencies"].get(EXTRAS.get(backend.name, backend.name), [])
        assert needed == {re.split(r"[<>=]", item)[0] for item in extra} - core, backend.name
