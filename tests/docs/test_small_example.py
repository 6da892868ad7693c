"""examples/small: a compiled runtime that claims five operators, judged and gated as it says."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml
from action_runner import leave_program, load_action
from commands import validate
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ROOT / "examples" / "small"
pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None,
    reason="cmake or a C++ compiler is not installed",
)


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harness, built in a folder with a blank in its name."""
    build = tmp_path_factory.mktemp("small") / "my build"
    for command in (
        ["cmake", "-S", str(SMALL), "-B", str(build)],
        ["cmake", "--build", str(build)],
    ):
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return build / "small_harness"


def test_all_that_it_claims_holds(harness: Path) -> None:
    backend = f"command:'{harness}'"
    done = validate("run", "--backend", backend, "--vectors", ROOT / "vectors", "--name", "small")
    lines = done.stdout.decode().splitlines()
    assert 0 == done.returncode, lines
    assert "claims 5 operators with 36 vectors (profile: its handshake); 36 hold, 0 do not" in lines


def test_the_action_holds_it_without_python_in_the_project(harness: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my project"
    folder.mkdir()
    (job,) = yaml.safe_load((SMALL / "conformance.yml").read_text())["jobs"].values()
    inputs = job["steps"][-1]["with"]
    given = {
        "backend": inputs["backend"].replace("build/small_harness", f"'{harness}'"),
        "arguments": f"{inputs['arguments']} --vectors '{ROOT / 'vectors'}'",
    }
    assert given["backend"] != inputs["backend"]
    run = load_action(ROOT / "action.yml", folder, **given)
    leave_program(run)
    run.run(skip=("install",))
    assert not run.failed, run.log
    assert "claims 5 operators with 36 vectors" in run.summary
