"""The pytest plugin, in a pytest of its own and with real children."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest
from forked import run_forked
from limited_corpus import LIMITED, limited_corpus
from places import MISBEHAVING
from runnable_corpus import runnable_corpus, shape_vector, write_manifest, write_vector

from onnx_conformance.validator.plugin import pytest_plugin

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = "onnx_conformance.validator.plugin.pytest_plugin"
BAD = "shape-15/bad/float32"


class Project:
    """A folder of somebody's own tests, and a corpus."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        runnable_corpus(folder / "corpus", ("bad", "fine", "good"))

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(textwrap.dedent(text))

    def pytest(self, *words: str, anew: bool = False) -> subprocess.CompletedProcess[str]:
        """Run pytest: forked, or in a new interpreter, where it matters what that imports."""
        # The plugin is named, so that it makes no difference whether this package is installed.
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment.pop("PYTEST_ADDOPTS", None)
        words = ("-p", PLUGIN, "-p", "no:cacheprovider", "-v", *words)
        if anew:
            return subprocess.run(
                [sys.executable, "-m", "pytest", *words],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        ran = run_forked("pytest:console_main", words, environment, self.folder)
        return subprocess.CompletedProcess(
            ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode()
        )

    def judge(
        self, harness: str, *words: str, arguments: tuple[str, ...] = (), anew: bool = False
    ) -> subprocess.CompletedProcess[str]:
        command = shlex.join([sys.executable, str(MISBEHAVING / harness), *arguments])
        return self.pytest(
            f"--onnx-backend=command:{command}", "--onnx-vectors=corpus", *words, anew=anew
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def outcome(result: subprocess.CompletedProcess[str], vector_id: str) -> str:
    start = f"onnx-conformance::{vector_id} "
    (line,) = [item for item in result.stdout.splitlines() if item.startswith(start)]
    return line[len(start) :].split()[0]


def test_there_is_a_test_for_each_vector_beside_the_projects_own(project: Project) -> None:
    project.write("test_own.py", "def test_own(): pass\n")
    result = project.judge("well_behaved.py")
    assert "onnx-conformance: command:" in result.stdout
    assert "on 3 vectors of corpus test" in result.stdout
    assert (0, "PASSED") == (result.returncode, outcome(result, "shape-15/good/float32"))
    assert "4 passed" in result.stdout


@pytest.fixture
def typed(project: Project) -> Project:
    """Two vectors of float32 and one of float16, which the harness does not implement."""
    folder = project.folder / "typed"
    for name, element in (("a", "float32"), ("b", "float32"), ("bad", "float16")):
        write_vector(folder, shape_vector(f"shape-15/{name}/{element}", types={"T": element}))
    write_manifest(folder)
    return project


def claiming(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    command = shlex.join([sys.executable, str(MISBEHAVING / "claims.py")])
    return project.pytest(f"--onnx-backend=command:{command}", "--onnx-vectors=typed", *words)


@pytest.mark.parametrize("origin", ["its handshake", "mine.yaml"])
def test_what_a_profile_does_not_claim_is_no_test_and_is_counted(
    origin: str, typed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = '{"types": ["float32"]}'
    typed.write("mine.yaml", claims)
    monkeypatch.setenv("CLAIMS", claims if origin == "its handshake" else "{}")
    words = () if origin == "its handshake" else ("--onnx-profile=mine.yaml",)
    result = claiming(typed, *words)
    assert (0, "PASSED") == (result.returncode, outcome(result, "shape-15/b/float32"))
    assert "bad/float16" not in result.stdout
    said = f"not claimed ({origin}), and no tests: 1 of other element types"
    assert 2 == result.stdout.count(said)  # before the tests, and after them


def test_to_refuse_what_is_claimed_fails(typed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMS", '{"types": ["float16"]}')
    result = claiming(typed)
    assert "FAILED" == outcome(result, "shape-15/bad/float16")
    assert "claimed by the profile, and unsupported: not implemented" in result.stdout


def test_a_profile_that_claims_nothing_here_is_no_green_session(
    typed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMS", '{"types": ["int64"]}')
    result = claiming(typed)
    assert pytest.ExitCode.USAGE_ERROR == result.returncode
    assert "the profile (its handshake) claims none of 3 selected vectors" in result.stderr


def test_claiming_less_than_the_baseline_keeps_is_red(
    typed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMS", '{"types": ["float32"]}')
    typed.write("known.yaml", "passed: 2\nprofile: {types: [float16, float32]}\nentries: []\n")
    result = claiming(typed, "--onnx-baseline=known.yaml")
    assert pytest.ExitCode.TESTS_FAILED == result.returncode
    assert "the runtime claims less than when the baseline was written" in result.stdout
    typed.write("known.yaml", "passed: 2\nprofile: {types: [float32]}\nentries: []\n")
    assert 0 == claiming(typed, "--onnx-baseline=known.yaml").returncode


@pytest.mark.parametrize(
    ("words", "found"),
    [((), "FAILED"), (("--onnx-accuracy=gpu",), "PASSED"), (("--onnx-accuracy=ieee",), "FAILED")],
)
def test_the_accuracy_profile_decides(words: tuple[str, ...], found: str, project: Project) -> None:
    limited_corpus(project.folder / "limits")
    command = shlex.join([sys.executable, str(MISBEHAVING / "well_behaved.py")])
    result = project.pytest(f"--onnx-backend=command:{command}", "--onnx-vectors=limits", *words)
    assert found == outcome(result, LIMITED)
    if found == "FAILED":
        assert "permitted 4 to 6" in result.stdout


def test_the_command_that_runs_a_test_alone_has_the_profile(project: Project) -> None:
    result = project.judge("segfaults.py", "--onnx-accuracy=gpu")
    assert " --accuracy gpu '" in result.stdout


def test_an_unknown_accuracy_profile_is_a_usage_error(project: Project) -> None:
    result = project.judge("well_behaved.py", "--onnx-accuracy=fast")
    assert (4, True) == (result.returncode, "invalid choice: 'fast'" in result.stderr)


def test_a_crash_is_one_failure_that_explains_itself(project: Project) -> None:
    result = project.judge("segfaults.py")
    assert (1, "FAILED") == (result.returncode, outcome(result, BAD))
    assert "1 failed, 2 passed" in result.stdout
    shown = result.stdout.split("= FAILURES =")[1]
    assert f"{BAD}: crashed" in shown
    assert "signal SIGSEGV" in shown
    assert "standard error: about to die" in shown
    assert f"'{BAD}'" in shown.split("run it alone: onnx-validate run --backend")[1]
    assert "Traceback" not in shown
    assert ".py:" not in shown.split("= short test summary")[0].replace("segfaults.py", "")


def baseline(verdict: str, more: str = "") -> str:
    return f"""\
        entries:
          - id: {BAD}
            verdict: {verdict}
            reason: it is being mended
            {more}
        """


def test_a_listed_failure_is_an_expected_failure(project: Project) -> None:
    project.write("known.yaml", baseline("crashed"))
    result = project.judge("segfaults.py", "--onnx-baseline=known.yaml", "-rx")
    assert (0, "XFAIL") == (result.returncode, outcome(result, BAD))
    assert "known.yaml:2: crashed: it is being mended" in result.stdout


def test_a_baseline_of_another_version_is_said_at_the_end(project: Project) -> None:
    project.write("known.yaml", "runtime: {name: shape, version: 0.1}\nentries: []\n")
    result = project.judge("well_behaved.py", "--onnx-baseline=known.yaml")
    assert 0 == result.returncode
    assert "baseline was made with shape 0.1, these results are of shape 1: " in result.stdout


def test_a_listed_vector_that_passes_fails(project: Project) -> None:
    project.write("known.yaml", baseline("crashed"))
    result = project.judge("well_behaved.py", "--onnx-baseline=known.yaml")
    assert (1, "FAILED") == (result.returncode, outcome(result, BAD))
    assert f"{BAD}: passes, but is listed as crashed" in result.stdout
    assert "baseline: known.yaml:2:" in result.stdout


def test_another_failure_than_the_listed_one_fails(project: Project) -> None:
    project.write("known.yaml", baseline("rejected"))
    result = project.judge("segfaults.py", "--onnx-baseline=known.yaml")
    assert (1, "FAILED") == (result.returncode, outcome(result, BAD))
    assert f"known.yaml:2: '{BAD}' is listed as rejected" in result.stdout


@pytest.mark.parametrize(("harness", "word"), [("segfaults.py", "XFAIL"), ("old.py", "FAILED")])
def test_a_flaky_vector_may_fail_as_listed_only(project: Project, harness: str, word: str) -> None:
    project.write("known.yaml", baseline("crashed", "flaky: true"))
    result = project.judge(harness, "--onnx-baseline=known.yaml", f"--onnx-select={BAD}")
    assert word == outcome(result, BAD)


def test_a_flaky_vector_may_pass(project: Project) -> None:
    project.write("known.yaml", baseline("crashed", "flaky: true"))
    result = project.judge("well_behaved.py", "--onnx-baseline=known.yaml")
    assert (0, "PASSED") == (result.returncode, outcome(result, BAD))


def test_runxfail_shows_the_failure(project: Project) -> None:
    project.write("known.yaml", baseline("crashed"))
    result = project.judge("segfaults.py", "--onnx-baseline=known.yaml", "--runxfail")
    assert (1, "FAILED") == (result.returncode, outcome(result, BAD))


def test_vectors_can_be_selected_and_own_tests_left_out(project: Project) -> None:
    project.write("test_own.py", "import nonsense\n")
    result = project.judge("well_behaved.py", "--onnx-only", "--onnx-select=*/good/*")
    assert (0, "PASSED") == (result.returncode, outcome(result, "shape-15/good/float32"))
    assert "1 passed" in result.stdout


def test_small_vectors_can_be_selected(project: Project) -> None:
    folder = next((project.folder / "corpus").rglob("test_shape_15_fine*"))
    (folder / "notes.txt").write_bytes(bytes(16_385))
    result = project.judge("well_behaved.py", "--onnx-only", "--onnx-size=small")
    assert "2 passed" in result.stdout


def test_workers_of_xdist_share_the_vectors(project: Project) -> None:
    result = project.judge("segfaults.py", "-p", "xdist", "-n", "2")
    assert 1 == result.returncode
    assert "1 failed, 2 passed" in result.stdout
    assert "signal SIGSEGV" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--onnx-backend=onxruntime",), "unknown backend 'onxruntime'; did you mean"),
        (
            ("--onnx-backend=reference", "--onnx-vectors=corpus", "--onnx-select=shape-15/goood"),
            "nothing below 'shape-15' is called 'goood'; did you mean good?",
        ),
        (
            ("--onnx-backend=reference", "--onnx-vectors=corpus", "--onnx-baseline=absent.yaml"),
            "absent.yaml: cannot be read",
        ),
        (
            ("--onnx-backend=command:false", "--onnx-vectors=corpus"),
            "backend 'command:false' is unusable: exit 1 before the reply to 'describe'",
        ),
        (("--onnx-only",), "--onnx-only: needs --onnx-backend NAME"),
    ],
)
def test_what_does_not_fit_is_one_line(
    project: Project, words: tuple[str, ...], message: str
) -> None:
    result = project.pytest(*words)
    assert 4 == result.returncode
    assert message in result.stderr
    assert "Traceback" not in result.stderr + result.stdout


def test_an_option_of_somebody_elses_may_begin_with_onnx(project: Project) -> None:
    project.write(
        "conftest.py",
        """\
        def pytest_addoption(parser):
            parser.addoption("--onnx-model", default="model.onnx")
        """,
    )
    project.write("test_own.py", "def test_own(pytestconfig): pytestconfig.getoption('onnx_model')")
    result = project.pytest("--onnx-model=other.onnx")
    assert "1 passed" in result.stdout


def test_each_option_needs_a_backend() -> None:
    names: list[str] = []

    class Options:
        def getgroup(self, *_: str) -> Options:
            return self

        def addoption(self, name: str, **_: object) -> None:
            names.append(name)

    pytest_plugin.pytest_addoption(Options())  # type: ignore[arg-type]
    assert names == ["--onnx-backend", *pytest_plugin.DEPENDENT]


def test_nothing_is_loaded_where_no_backend_is_named(project: Project) -> None:
    project.write(
        "test_own.py",
        """\
        import sys

        def test_own():
            ours = {name for name in sys.modules if name.startswith("onnx")}
            assert ours == {
                "onnx_conformance",
                "onnx_conformance.validator",
                "onnx_conformance.validator.plugin",
                "onnx_conformance.validator.plugin.pytest_plugin",
            }
            assert not {"numpy", "yaml", "google"} & set(sys.modules)
        """,
    )
    result = project.pytest(anew=True)
    assert 0 == result.returncode, result.stdout


def test_an_environment_without_onnx_is_told_what_to_do_in_one_line(project: Project) -> None:
    project.write("onnx.py", "raise ImportError('No module named onnx')")
    result = project.judge("well_behaved.py", "--onnx-only", anew=True)
    assert 4 == result.returncode
    (line,) = [item for item in result.stderr.splitlines() if item.startswith("ERROR")]
    assert "needs onnx 1.14 or later beside pytest, to read the vectors" in line
    assert "onnx-validate run --backend NAME --python" in line


def test_an_environment_without_onnx_runs_its_own_tests(project: Project) -> None:
    project.write("onnx.py", "raise ImportError('No module named onnx')")
    project.write("test_mine.py", "def test_mine():\n    pass\n")
    assert 0 == project.pytest("test_mine.py", anew=True).returncode


def test_a_backend_that_judges_validity_alone_is_said_to(project: Project) -> None:
    said = "judges validity alone: no value was compared"
    assert 2 == project.judge("judges_validity.py").stdout.count(said)
    assert said not in project.judge("well_behaved.py").stdout


@pytest.mark.parametrize("distributed", [(), ("-p", "xdist", "-n", "2")])
def test_a_session_in_which_nothing_passes_is_red_though_all_is_listed(
    project: Project, distributed: tuple[str, ...]
) -> None:
    project.write(
        "b.yaml",
        """\
        entries:
          - {id: shape-15/*, verdict: rejected, reason: r}
        """,
    )
    result = project.judge("rejects_all.py", "--onnx-baseline=b.yaml", *distributed)
    assert 1 == result.returncode, result.stdout
    assert "nothing passed: a gate in which every vector fails" in result.stdout


def test_a_session_in_which_fewer_pass_than_the_baseline_says_is_red(project: Project) -> None:
    project.write(
        "b.yaml",
        """\
        passed: 9
        entries: []
        """,
    )
    result = project.judge("well_behaved.py", "--onnx-baseline=b.yaml")
    assert 1 == result.returncode, result.stdout
    assert "b.yaml:1: 9 vectors passed when the baseline was written, and 3 do now" in result.stdout
    part = project.judge("well_behaved.py", "--onnx-baseline=b.yaml", "--onnx-select=shape-15/fine")
    assert 0 == part.returncode
