"""The wheel, installed far from any checkout."""

from __future__ import annotations

import os
import resource
import shutil
import site
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest
from committed_corpus import published_kinds
from places import ROOT

from onnx_conformance.generators.oracle.recorded.streams import FOLDER
from onnx_conformance.validator.commands.harness.new import LANGUAGES, skeleton_files

if TYPE_CHECKING:
    from pathlib import Path

CARRIED = ("core", "generators", "validator", "specs", "src")
MEBIBYTE = 2**20

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, so that nothing is left in the checkout."""
    source = tmp_path_factory.mktemp("source")
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info", ".writing-*")
    for name in CARRIED:
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=unwanted)
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, source / name)
    (source / "vectors").mkdir()
    shutil.copytree(ROOT / "vectors" / "standard", source / "vectors" / "standard")
    for name in ("README.md", "requirements.json"):
        shutil.copy(ROOT / "vectors" / name, source / "vectors")
    output = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", output, source],
        check=True,
        stderr=subprocess.PIPE,
    )
    (built,) = output.iterdir()
    return built


class Installation:
    """The wheel's files, an interpreter that knows no checkout, and a user's folders."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.packages = folder / "packages"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.packages)
        self.home = folder / "elsewhere"
        self.home.mkdir()
        self.cache = folder / "cache"

    def run(self, *words: str, module: str = "validator") -> subprocess.CompletedProcess[str]:
        program = f"import sys; from onnx_conformance.{module}.main import main; sys.exit(main())"
        return self.python("-c", program, *words)

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        # Our dependencies are found, but not through the .pth file of the editable installation.
        paths = [str(self.packages), *site.getsitepackages()]
        return subprocess.run(
            [getattr(sys, "_base_executable", sys.executable), *words],
            cwd=self.home,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                "ONNX_CONFORMANCE_CACHE": str(self.cache),
            },
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(wheel, tmp_path_factory.mktemp("installation"))


def test_the_wheel_carries_specs_and_manifest_and_stays_small(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert wheel.stat().st_size < 8 * MEBIBYTE
    specs = {f"onnx_conformance/specs/{path.name}" for path in (ROOT / "specs").glob("*.yaml")}
    standard = ROOT / "vectors" / "standard"
    specs |= {f"onnx_conformance/specs/images/{path.name}" for path in FOLDER.iterdir()}
    assert specs <= names
    assert {"README.md", "manifest.json", "requirements.json"} | {
        path.relative_to(standard).as_posix() for path in standard.rglob("*.json")
    } == {name.partition("/published/")[2] for name in names if "/published/" in name}
    assert set() == {name for name in names if name.startswith(("tests/", "vectors/"))}
    assert {"onnx_conformance", "onnx_conformance-0.1.0.dist-info"} == {
        name.split("/")[0] for name in names
    }


def test_a_run_in_an_empty_folder_writes_what_it_needs_once_and_judges(
    installation: Installation,
) -> None:
    words = ("run", "--backend", "reference", "size-13/example/float32")
    first = installation.run(*words)
    assert 0 == first.returncode, first.stderr
    assert "reference" in first.stdout
    assert "this is done once" in first.stderr
    second = installation.run(*words)
    assert (0, "") == (second.returncode, second.stderr)
    assert [] == list(installation.home.iterdir())


def test_the_corpus_in_the_cache_is_the_committed_one(installation: Installation) -> None:
    before = set(installation.cache.glob("*"))
    installed = installation.run("list")
    assert (0, "") == (installed.returncode, installed.stderr)
    assert set(published_kinds()) == set(installed.stdout.split())
    assert before == set(installation.cache.glob("*"))  # listing needs no vector


def test_a_run_of_one_operator_on_a_fresh_installation_takes_seconds(
    wheel: Path, tmp_path: Path
) -> None:
    installation = Installation(wheel, tmp_path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = installation.run("run", "--backend", "oracle", "--operator", "Size", "--jobs", "1")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert 0 == done.returncode, done.stdout + done.stderr
    versions = {name.split("/")[0] for name in published_kinds() if name.startswith("size-")}
    assert versions == {path.name.rpartition("-")[0] for path in installation.cache.iterdir()}
    # Of the processor, not of the clock: the machine may be busy with other tests.
    assert 10 > after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_vector_is_shown_in_an_empty_folder(installation: Installation) -> None:
    # Of an operator version that no other test here has in its cache yet.
    first = installation.run("show", "size-19/empty/float32")
    assert 0 == first.returncode, first.stderr
    assert "this is done once" in first.stderr
    begins = [line.split()[0] for line in first.stdout.splitlines() if line[:1].isalpha()]
    assert [
        "size-19/empty/float32",
        "about",
        "purpose",
        "requires",
        "input",
        "expected",
        "agreement",
        "model",
    ] == begins
    second = installation.run("show", "size-19/empty/float32")
    assert (0, "", first.stdout) == (second.returncode, second.stderr, second.stdout)
    unknown = installation.run("show", "size-19/examples/bool")
    assert (5, True) == (unknown.returncode, "did you mean example" in unknown.stderr)
    assert [] == list(installation.home.iterdir())


def test_the_files_that_commands_copy_and_fill_in_are_in_the_wheel(
    installation: Installation, tmp_path: Path
) -> None:
    vector, results = "size-13/example/float32", tmp_path / "a.jsonl"
    for words in (
        (
            "run",
            "--backend",
            "reference",
            vector,
            "--results",
            results,
            "--html",
            tmp_path / "a.html",
        ),
        ("site", results, "--output", tmp_path / "site"),
        ("repro", "--backend", "reference", vector, "--output", tmp_path / "plain"),
        ("repro", "--backend", "reference+freeze", vector, "--output", tmp_path / "bundle"),
        *(("harness", "new", name, "--output", tmp_path / name) for name in LANGUAGES),
    ):
        done = installation.run(*map(str, words))
        assert 0 == done.returncode, done.stderr
    for name in LANGUAGES:
        found = {
            path.relative_to(tmp_path / name).as_posix(): path.read_text()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        assert skeleton_files(name) == found
    for name in ("plain", "bundle"):
        script = installation.python(str(tmp_path / name / "repro.py"))
        assert 0 == script.returncode, script.stderr


def test_pytest_finds_the_plugin_by_itself(installation: Installation) -> None:
    options = ("--onnx-backend=reference", "--onnx-only", "--onnx-select=size-13/example/float32")
    result = installation.python("-m", "pytest", "-p", "no:cacheprovider", *options)
    assert (0, True) == (result.returncode, "1 passed" in result.stdout), result.stdout


def test_what_changed_since_a_release_is_known_without_a_checkout(
    installation: Installation,
) -> None:
    done = installation.run("changes", "0.2.0", "0.2.0", module="generators")
    assert (0, "") == (done.returncode, done.stderr)
    assert "39,688 vectors then, 39,688 now" in done.stdout


def test_the_other_command_works_as_well(installation: Installation) -> None:
    assert 0 == installation.run("--version", module="generators").returncode
