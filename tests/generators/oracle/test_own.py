"""Operators of one's own, outside of the checkout: the worked example, and mistakes in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from committed_corpus import ROOT

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.planning.reading import read_specs

EXAMPLE = ROOT / "examples" / "own-operator"
SPEC = "specs/biassilu.yaml"
ORACLE = "example_oracles/bias_silu.py"
VECTORS = 62


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the example, to be changed; no lock is in it."""
    folder = tmp_path / "own"
    unwanted = shutil.ignore_patterns("__pycache__", "lock", "vectors")
    shutil.copytree(EXAMPLE, folder, ignore=unwanted)
    return folder


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors") / "made"
    done = command("vectors", EXAMPLE, "generate", *OWN, "--output", folder)
    assert 0 == done.returncode, done.stderr
    return folder


OWN = ("--specs", "specs", "--oracles", "example_oracles")


def command(
    name: str, folder: Path, *words: str | Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name(f"onnx-{name}"), *words],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")


def not_listed(folder: Path, *words: str | Path) -> str:
    """The one line that says why `onnx-vectors list` does not list them."""
    done = command("vectors", folder, "list", *(words or OWN), "--profile", "full", "*/example/*")
    assert (3, "") == (done.returncode, done.stdout), done.stderr
    (line,) = done.stderr.splitlines()
    return line.removeprefix("onnx-vectors: ")


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Why no vector is planned from these specs and oracles.

    The package gets a name of its own: Python imports one name once.
    """
    package = f"oracles_of_{folder.parent.name}"
    (folder / "example_oracles").rename(folder / package)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(BadInputError) as caught:
        plan_corpus(folder / "specs", "full", ("*/example/*",), package=package)
    return str(caught.value).replace(package, "example_oracles")


def misread(folder: Path) -> str:
    """Why the specs cannot be read, which asks for no oracle before it fails."""
    with pytest.raises(BadInputError) as caught:
        read_specs(folder / "specs")
    return str(caught.value)


# --- the example ---


def verdicts(backend: str, vectors: Path, folder: Path, *words: str) -> Counter[str]:
    results = folder / "results.jsonl"
    done = command(
        *("validate", EXAMPLE, "run", "--backend", backend, "--vectors", vectors),
        *("--results", results, "--jobs", "1", *words),
    )
    assert results.is_file(), done.stderr
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    return Counter(row["verdict"] for row in rows if row["record"] == "row")


def test_the_vectors_are_those_of_the_lock(vectors: Path) -> None:
    listed = command("vectors", EXAMPLE, "list", *OWN).stdout.split()
    assert VECTORS == len(listed) == len(list(vectors.glob("*/*/*/model.onnx")))
    assert all(item.startswith("com.example.biassilu-1/") for item in listed)
    assert (EXAMPLE / "specs" / "lock" / "manifest.json").is_file()


def test_its_results_have_limits(vectors: Path) -> None:
    assert list(vectors.glob("valid/*/*_example_float32/test_data_set_0/high_0.pb"))


def test_the_backend_of_the_example_holds_but_for_what_its_baseline_says(
    vectors: Path, tmp_path: Path
) -> None:
    backend = "python:example_backend"
    found = verdicts(backend, vectors, tmp_path, "--baseline", str(EXAMPLE / "baseline.yaml"))
    assert {"pass", "unsupported"} == set(found)
    assert (VECTORS, 1) == (found.total(), found["unsupported"])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["reference", "onnxruntime", "oracle"])
def test_a_runtime_without_the_operator_says_so(
    backend: str, vectors: Path, tmp_path: Path
) -> None:
    found = verdicts(backend, vectors, tmp_path, "com.example.biassilu-1/*/*")
    assert {"unsupported", "inconclusive"} == set(found)


def test_a_kernel_that_forgets_the_limit_fails(vectors: Path, own: Path, tmp_path: Path) -> None:
    change(own, "example_backend.py", "np.where(scaled == -np.inf, 0, v)", "y")
    results = tmp_path / "results.jsonl"
    command(
        *("validate", own, "run", "--backend", "python:example_backend", "--vectors", vectors),
        *("--results", results, "com.example.biassilu-1/infinities/float32"),
    )
    assert '"verdict":"wrong-value"' in results.read_text("utf-8")


def test_check_holds_the_example_to_its_lock() -> None:
    done = command("vectors", EXAMPLE, "check", *OWN)
    assert (0, f"specs/lock: {VECTORS} vectors agree with 1 spec\n") == (
        done.returncode,
        done.stdout,
    ), done.stderr


def test_coverage_shows_what_the_oracle_implements() -> None:
    done = command("vectors", EXAMPLE, "coverage", *OWN, "biassilu")
    assert "| `bias_silu.bias_silu` | 1 | `formula` (" in done.stdout
    assert 0 == done.returncode, done.stderr


# --- the schema ---


def test_a_schema_has_variadic_parameters_and_required_attributes(own: Path) -> None:
    change(own, SPEC, "bias: {type: T, optional: true}", "bias: {type: T, variadic: true}")
    change(own, SPEC, "beta: {type: float, default: 1.0}", "beta: {type: float, required: true}")
    spec = own / "specs" / "biassilu.yaml"
    text = spec.read_text("utf-8")
    spec.write_text(text[: text.index("  - covers: [formula]")], "utf-8")
    change(own, SPEC, "bias: {values: [0.5, 0.0, -0.5]}", "bias: [{values: [0.5, 0.0, -0.5]}]")
    _, (read,) = read_specs(own / "specs")
    version = read.versions[1]
    assert [False, True] == [item.variadic for item in version.inputs]
    assert version.attributes["beta"].required


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1.0}", "1.0, required: true}", "11: an attribute with a default is not required"),
        (
            "type: float, default: 1.0",
            "type: tensor, default: {values: [1.0]}",
            "11: a default is a number, a text, or a list of them",
        ),
        (
            "optional: true}",
            "optional: true, variadic: true}",
            "9: a parameter is optional or variadic, not both",
        ),
    ],
)
def test_a_mistake_in_the_schema_is_one_line(own: Path, old: str, new: str, said: str) -> None:
    change(own, SPEC, old, new)
    assert f"biassilu.yaml:{said}" in misread(own)


# --- with a lock, and without ---


def test_without_a_lock_it_is_said_that_nothing_is_compared(own: Path) -> None:
    done = command("vectors", own, "generate", *OWN, "--output", "made", "*/example/*")
    assert 0 == done.returncode, done.stderr
    assert "no lock in specs/lock: the rules decide what there is" in done.stdout


def test_check_without_a_lock_is_incomplete(own: Path) -> None:
    done = command("vectors", own, "check", *OWN)
    assert 5 == done.returncode
    assert "there is no lock in specs/lock" in done.stderr


def test_what_comes_out_otherwise_than_the_lock_says_is_refused(own: Path) -> None:
    assert 0 == command("vectors", own, "admit", *OWN, "--write").returncode
    change(own, SPEC, "beta: 1.702", "beta: 1.7")
    made = command("vectors", own, "generate", *OWN, "--output", "made")
    assert (3, "come out otherwise than the lock lists them") == (
        made.returncode,
        " ".join(made.stderr.split()[3:11]).rstrip(":"),
    )
    checked = command("vectors", own, "check", *OWN)
    assert 3 == checked.returncode
    assert "biassilu-1/beta_of_gelu/float32 comes out with digest" in checked.stderr


def test_a_requirement_without_a_case_is_a_gap(own: Path) -> None:
    change(own, SPEC, "covers: [at-infinities, no-bias]", "covers: [no-bias]")
    done = command("vectors", own, "check", *OWN)
    assert 3 == done.returncode
    assert "requirement 'at-infinities' has no case" in done.stderr


def test_a_lock_of_the_checkout_is_not_taken_for_ones_own(own: Path) -> None:
    shutil.copytree(ROOT / "vectors" / "standard", own / "vectors" / "standard")
    assert "no lock in specs/lock" in command("vectors", own, "check", *OWN).stderr


def test_nothing_is_written_without_an_output(own: Path) -> None:
    done = command("vectors", own, "generate", *OWN)
    assert (2, "--output DIR" in done.stderr) == (done.returncode, True)


# --- mistakes ---


def test_a_package_that_is_not_there(own: Path) -> None:
    assert not_listed(own, "--specs", "specs", "--oracles", "my_oracles") == (
        "--oracles my_oracles: there is no module 'my_oracles' among what is installed beside this"
        " command, nor in the current folder"
    )


def test_a_package_that_cannot_be_imported(own: Path) -> None:
    (own / "example_oracles" / "other.py").write_text("import nothing_of_this_name\n", "utf-8")
    message = not_listed(own)
    assert message.startswith(
        "--oracles example_oracles: importing example_oracles.other failed: ModuleNotFoundError:"
        " No module named 'nothing_of_this_name' ("
    )
    assert message.endswith("other.py:1)")


def test_a_package_without_any_oracle(own: Path) -> None:
    (own / "empty.py").write_text("", "utf-8")
    message = not_listed(own, "--specs", "specs", "--oracles", "empty")
    assert message.startswith("--oracles empty: no module of it has an oracle")


def test_an_operator_without_an_oracle(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(own, ORACLE, '@oracle("BiasSilu"', '@oracle("BiasSiLU"')
    assert (
        "operator 'com.example:BiasSilu' has no oracle in example_oracles, which has"
        " com.example:BiasSiLU; write a function there with"
        ' @oracle("BiasSilu", domain="com.example")'
    ) in refused(own, monkeypatch)


def test_an_oracle_that_fails_is_named_with_its_line(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(own, ORACLE, 'x, bias = call.grid("X"), _bias(call)', "x, bias = 1 / 0, None")
    message = refused(own, monkeypatch)
    assert "the oracle example_oracles.bias_silu.bias_silu failed: ZeroDivisionError" in message
    assert "bias_silu.py:" in message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("None", "bias_silu returned None: it returns a tuple"),
        ("combine(x.type, element, x, bias)", "bias_silu returned Grid("),
        ("(1.5,)", "bias_silu returned (1.5,): it returns a tuple"),
        ("(x.map(lambda _: 'a'),)", "of com.example:BiasSilu returned cannot be used: "),
    ],
)
def test_an_oracle_that_returns_no_result(
    own: Path, given: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(own, ORACLE, "return (combine(x.type, element, x, bias),)", f"return {given}")
    assert said in refused(own, monkeypatch)


def test_an_oracle_with_too_many_outputs(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(own, ORACLE, "return (combine(x.type, element, x, bias),)", "return (x, x, x)")
    assert "3 outputs" in refused(own, monkeypatch)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("outputs: {Y: T}", "outputs: {Y: U}", "specs/biassilu.yaml:10: unknown type variable"),
        ("outputs: {Y: T}", "outputs: {Y: [T", "specs/biassilu.yaml:"),
        ("types: {T:", "typen: {T:", "specs/biassilu.yaml:8: unknown key 'typen'"),
        ("  1:\n", "  2:\n", "version 2 is newer than opset 1, which corpus.yaml calls the newest"),
        ("versions:\n  1:", "roles: {}\nvarsions:\n  1:", "unknown key 'varsions'"),
        (
            "operator: BiasSilu\n",
            'operator: "Bias/../Silu"\n',
            "'Bias/../Silu' is no name of an operator",
        ),
        (
            "domain: com.example\n",
            "",
            "biassilu.yaml:2: no `domain`: the default one is ONNX's; corpus.yaml has com.example",
        ),
        (
            "domain: com.example\n",
            "domain: com.exmple\n",
            "unknown domain of corpus.yaml 'com.exmple'; did you mean 'com.example'?",
        ),
        (
            "requirements:\n",
            "requirements: &a\n",
            "specs/biassilu.yaml:13: anchor &a: anchors are not read",
        ),
        ("version", "\u0007version", "unprintable character U+0007"),
        ("  - id: formula", "  - id: !!python/object/apply:os.getcwd []", "biassilu.yaml:"),
    ],
)
def test_a_mistake_in_the_spec_is_one_line(own: Path, old: str, new: str, said: str) -> None:
    change(own, SPEC, old, new)
    assert said in misread(own)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("ai.onnx.ml: {1: 21}", "'ai.onnx.ml' is ONNX's: ids of its operators would clash with"),
        ("AI.ONNX.ml: {1: 21}", "'AI.ONNX.ml' is ONNX's: ids of its operators would clash with"),
        ("../com: {1: 21}", "'../com' is no domain, such as com.example"),
        ("com.example: {1: 999}", "the newest opset of ONNX here is"),
        ("com.example: {2: 21}", "every opset of the domain stands here, ascending from 1"),
        ("com.example: {}", "every opset of the domain stands here, ascending from 1"),
    ],
)
def test_a_mistake_in_the_domains_is_one_line(own: Path, new: str, said: str) -> None:
    change(own, "specs/corpus.yaml", "com.example: {1: 21}", new)
    assert said in misread(own)


def test_a_corpus_without_domains(own: Path) -> None:
    (own / "specs" / "corpus.yaml").write_text('version: "1.0.0"\n', "utf-8")
    assert "no `domains`: operators of one's own are in a domain of their own" in misread(own)


def test_a_folder_without_a_corpus_file(own: Path) -> None:
    (own / "specs" / "corpus.yaml").unlink()
    assert "specs/corpus.yaml: is not there" in misread(own)


def test_two_specs_of_one_operator(own: Path) -> None:
    shutil.copy(own / SPEC, own / "specs" / "other.yaml")
    assert "operator 'com.example.biassilu' has a spec in specs/biassilu.yaml" in not_listed(own)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--specs", "specs"), "specs: has operators of one's own: name the package"),
        (
            ("--specs", str(ROOT / "specs"), "--oracles", "example_oracles"),
            "are ONNX's, and have their oracles here",
        ),
    ],
)
def test_specs_and_oracles_go_together(own: Path, words: tuple[str, ...], said: str) -> None:
    done = command("vectors", own, "list", *words)
    assert 2 == done.returncode
    assert said in done.stderr
