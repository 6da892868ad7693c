"""Which way imports go: the tree keeps to it, and a step the other way is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("core", "generators", "validator", "src")
LINT = "import sys; from importlinter.cli import lint_imports_command as lint; lint()"


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The packages and the contracts, as they are."""
    unwanted = shutil.ignore_patterns("__pycache__", "skeletons")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_import_goes_the_permitted_way() -> None:
    result = lint(ROOT)
    assert 0 == result.returncode, result.stdout
    assert ", 0 broken." in result.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        (
            "core/errors.py",
            "from onnx_conformance.validator.judging import verdicts",
            "generators and validator stand on core, and know nothing of each other",
        ),
        (
            "generators/main.py",
            "from onnx_conformance.validator.judging import verdicts",
            "generators and validator stand on core, and know nothing of each other",
        ),
        (
            "validator/main.py",
            "def later():\n    from onnx_conformance.generators.corpus import installed",
            "generators and validator stand on core, and know nothing of each other",
        ),
        (
            "core/values/tensors.py",
            "from ..corpus import patterns",
            "core: the corpus stands on values",
        ),
        (
            "validator/judging/judge.py",
            "from ..results import merging",
            "validator: from the commands down to judging",
        ),
        (
            "validator/harnesses/kit.py",
            "import onnx_conformance.core.errors",
            "harnesses run in other people's interpreters, and import nothing of ours",
        ),
        (
            "generators/oracle/size.py",
            "def later():\n    import numpy",
            "the oracle shares nothing with the witnesses",
        ),
        ("core/values/elements.py", "from . import tensors", "no circles"),
    ],
)
def test_an_import_that_goes_another_way_is_noticed(
    copy: Path, module: str, line: str, contract: str
) -> None:
    with (copy / module).open("a", encoding="utf-8") as stream:
        stream.write(f"\n\n{line}\n")
    result = lint(copy)
    assert 1 == result.returncode, result.stdout + result.stderr
    assert f"{contract} BROKEN" in result.stdout


def test_a_new_room_must_be_given_its_place(copy: Path) -> None:
    (copy / "core" / "attic.py").write_text('"""Nobody knows what for."""\n')
    result = lint(copy)
    assert 1 == result.returncode, result.stdout + result.stderr
    assert "onnx_conformance.core.attic" in result.stdout
