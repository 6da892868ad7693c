"""`onnx-vectors` as a person calls it: exit codes, what is printed, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from committed_corpus import ROOT, SPECS, VECTORS
from sample_specs import RESHAPE, changed, line_of, write_specs

COMMAND = Path(sys.executable).with_name("onnx-vectors")

# Every version of Size, so that the schemas agree; one case.
HEAD = (SPECS / "size.yaml").read_text("utf-8").partition("\nrequirements:")[0]
SIZE = f"""{HEAD}
requirements:
  - id: counts-elements
    text: The output is the number of elements.
    source: {{document: Size-13, part: Summary}}

cases:
  - id: odd
    covers: [counts-elements]
    spread: [everywhere, types]
    inputs: {{data: [3, 5]}}
    outputs: {{size: 15}}
"""


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **environment},
        cwd=ROOT,
    )


def size_specs(folder: Path, spec: str = SIZE) -> Path:
    """The real facts and types with the small spec of Size."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        (folder / name).write_bytes((SPECS / name).read_bytes())
    (folder / "size.yaml").write_text(spec, "utf-8")
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small specs and the vectors that were generated from them, to be copied."""
    folder = tmp_path_factory.mktemp("written")
    size_specs(folder / "specs")
    done = run("generate", "--specs", folder / "specs", "--output", folder / "vectors")
    assert 0 == done.returncode
    return folder


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return size_specs(tmp_path / "specs")


@pytest.fixture
def vectors(tmp_path: Path, written: Path) -> Path:
    """The small corpus."""
    return shutil.copytree(written / "vectors", tmp_path / "vectors")


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error that is the input's."""
    assert (3, "") == (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    return line


# --- bad specs ---


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        pytest.param(
            "{allowzero: 1}", "{alowzero: 1}", "alowzero",
            "unknown key 'alowzero'; did you mean 'allowzero'?",
            id="unknown_key",
        ),
        pytest.param(
            "  - id: zero\n", "\t- id: zero\n", "\t- id",
            "tab in the indentation; YAML wants spaces",
            id="tab",
        ),
        pytest.param(
            "id: zero\n", "id: zero\n    id: zero\n", "    id: zero\n",
            "key 'id' is here twice; it is already on line {previous}",
            id="duplicate_key",
        ),
        pytest.param(
            "{allowzero: 1}", "{allowzero: 9223372036854775808}", "9223372036854775808",
            "9223372036854775808 is outside int64",
            id="beyond_int64",
        ),
        pytest.param(
            "outputs: {reshaped: [3, 2]}", "outputs: {reshaped: [3, 3]}", "- id: two_dims",
            "reshape-1/two_dims/float32: 'reshaped': shape [3, 3] of float32 needs 36 bytes,"
            " 24 given",
            id="wrong_result",
        ),
    ],
)  # fmt: skip
def test_a_bad_spec_is_one_line_with_file_and_line_and_exit_3(
    tmp_path: Path, old: str, new: str, at: str, message: str
) -> None:
    text = changed(old, new)
    folder = write_specs(tmp_path, text)
    line = line_of(at, text)
    expected = f"onnx-vectors: {folder}/reshape.yaml:{line}: {message}"
    assert expected.format(previous=line - 1) == refused(run("list", "--specs", folder))


@pytest.mark.parametrize("command", ["generate", "check", "list", "coverage"])
def test_a_missing_folder_of_specs_is_one_line_and_exit_3(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "nowhere"
    expected = f"onnx-vectors: {folder}: no such folder; specs are looked for in ./specs"
    assert expected == refused(run(command, "--specs", folder))


def test_specs_without_schemas_or_a_table_are_exit_3_before_anything_is_written(
    tmp_path: Path,
) -> None:
    folder = size_specs(tmp_path / "specs")
    (folder / "schemas.json").unlink()
    line = refused(run("generate", "--specs", folder, "--output", tmp_path / "vectors"))
    expected = "no `versions`, and no schemas.json beside it that knows the operator"
    assert line.endswith(expected)
    assert not (tmp_path / "vectors/manifest.json").exists()


# --- generate and check ---


def test_generate_says_what_it_did(specs: Path, vectors: Path) -> None:
    done = run("generate", "--specs", specs, "--output", vectors)
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith(f"{vectors}: ")
    assert " 0 added, 0 changed, " in done.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in small: specs, an excerpt and the digests of all, to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    size_specs(folder / "specs")
    (folder / "vectors").mkdir()
    (folder / "docs").mkdir()
    done = subprocess.run([COMMAND, "generate"], cwd=folder, capture_output=True, check=False)
    assert (0, b"") == (done.returncode, done.stderr)
    return folder


@pytest.fixture
def checkout(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / "checkout")


def check(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "check", *words], cwd=folder, capture_output=True, text=True, check=False
    )


CORE_VECTOR = "vectors/valid/size-25/test_size_25_odd_float32"
WHAT_TO_DO = "onnx-vectors: run `make vectors`, and look at what changed below vectors"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_generate_in_a_checkout_writes_all_the_core_and_the_coverage(checkout: Path) -> None:
    found = {path.relative_to(checkout).as_posix() for path in checkout.rglob("*.*")}
    assert {
        "build/vectors/manifest.json",
        "build/vectors/valid/size-1/test_size_1_odd_float32/model.onnx",
        "vectors/manifest.json",
        "vectors/manifests/size-25.json",
        "vectors/standard/manifest.json",
        "vectors/standard/manifests/size-1.json",
        f"{CORE_VECTOR}/model.onnx",
        "docs/coverage.md",
    } <= found
    assert not list(checkout.glob("vectors/valid/size-1"))


def test_generate_outside_a_checkout_wants_a_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "generate"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    expected = "this folder is no checkout of the project: say where with --output DIR"
    assert (2, True) == (done.returncode, expected in done.stderr)
    assert [] == list(tmp_path.iterdir())


def test_check_says_that_all_agrees_and_writes_what_it_made(checkout: Path) -> None:
    done = check(checkout, "--write", "written")
    manifest = json.loads((checkout / "vectors/standard/manifest.json").read_bytes())
    excerpt = len(list(checkout.glob("vectors/*/*/test_*")))
    expected = f"vectors: {manifest['count']} vectors, {excerpt} of them here, agree with 1 specs\n"
    assert (0, expected, "") == (done.returncode, done.stdout, done.stderr)
    assert contents(checkout / "build/vectors") == contents(checkout / "written")


def test_check_names_what_differs_and_what_to_do(checkout: Path) -> None:
    (checkout / CORE_VECTOR / "model.onnx").write_bytes(b"")
    (checkout / CORE_VECTOR / "data.json").unlink()
    done = check(checkout)
    assert (3, "") == (done.returncode, done.stdout)
    assert [
        f"onnx-vectors: {CORE_VECTOR}/data.json: is missing",
        f"onnx-vectors: {CORE_VECTOR}/model.onnx: differs",
        WHAT_TO_DO,
    ] == done.stderr.splitlines()


@pytest.mark.parametrize(
    "name",
    [
        "vectors/manifest.json",
        "vectors/manifests/size-25.json",
    ],
)
def test_check_notices_another_digest(checkout: Path, name: str) -> None:
    text = (checkout / name).read_text()
    digest = re.findall(r"[0-9a-f]{64}", text)[0]
    (checkout / name).write_text(text.replace(digest, "0" * 64))
    done = check(checkout)
    assert [f"onnx-vectors: {name}: differs", WHAT_TO_DO] == done.stderr.splitlines()
    assert 3 == done.returncode


@pytest.mark.parametrize("name", ["manifest.json", "manifests/size-1.json"])
def test_check_notices_another_digest_in_the_lock(checkout: Path, name: str) -> None:
    path = checkout / "vectors/standard" / name
    text = path.read_text()
    path.write_text(text.replace(re.findall(r"[0-9a-f]{64}", text)[0], "0" * 64))
    done = check(checkout)
    assert (3, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("onnx-vectors: vectors/standard/manifests/size-1.json: differs")


def test_check_notices_a_page_that_is_out_of_date(checkout: Path) -> None:
    (checkout / "docs/coverage.md").write_text("")
    done = check(checkout)
    assert 3 == done.returncode
    first, *_ = done.stderr.splitlines()
    assert "onnx-vectors: docs/coverage.md: is out of date" == first


def test_check_shows_the_first_differences_and_counts_the_others(checkout: Path) -> None:
    extra = checkout / "vectors/valid/size-25"
    for index in range(30):
        (extra / f"test_size_25_extra_{index:02}").mkdir()
    lines = check(checkout).stderr.splitlines()
    assert (22, "onnx-vectors: and 10 more") == (len(lines), lines[-2])


def test_check_without_vectors_is_exit_3(specs: Path, tmp_path: Path) -> None:
    done = run("check", "--specs", specs, "--output", tmp_path / "nowhere")
    assert (3, f"onnx-vectors: {tmp_path}/nowhere: no such folder") == (
        done.returncode,
        done.stderr.splitlines()[0],
    )


def test_check_fails_on_a_gap(checkout: Path) -> None:
    spec = SIZE.replace("    spread: [everywhere, types]\n", "    spread: everywhere\n")
    (checkout / "specs/size.yaml").write_text(spec)
    shutil.rmtree(checkout / "vectors/standard")  # the rules then decide anew
    subprocess.run([COMMAND, "generate"], cwd=checkout, capture_output=True, check=True)
    done = check(checkout)
    assert (3, "") == (done.returncode, done.stdout)
    first = "onnx-vectors: specs/size.yaml: Size-1 has no valid vector of uint8"
    assert first == done.stderr.splitlines()[0]


def test_an_output_that_cannot_be_written_is_one_line_and_exit_3(
    specs: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    line = refused(run("generate", "--specs", specs, "--output", tmp_path / "file"))
    assert line.startswith(f"onnx-vectors: {tmp_path}/file: cannot be written: ")


def test_bytes_do_not_depend_on_the_place_the_time_zone_the_locale_or_hashing(
    tmp_path: Path,
) -> None:
    def generated(name: str, **environment: str) -> dict[str, bytes]:
        output = tmp_path / name / "vectors"
        # Every form, every kind and every type, of one version each.
        selection = ("reshape-25/*", "shape-23/*", "size-1/*")
        done = run("generate", "--output", output, *selection, **environment)
        assert (0, "") == (done.returncode, done.stderr)
        return {
            path.relative_to(output).as_posix(): path.read_bytes()
            for path in output.rglob("*")
            if path.is_file()
        }

    first = generated("first", TZ="UTC", PYTHONHASHSEED="0", LC_ALL="C")
    second = generated(
        "a second place", TZ="Asia/Kathmandu", PYTHONHASHSEED="4242", LC_ALL="C.UTF-8"
    )
    assert first == second
    kept = {name: (VECTORS / name) for name in first if name.count("/") > 1}
    committed_files = {name: path.read_bytes() for name, path in kept.items() if path.is_file()}
    assert committed_files
    assert committed_files == {name: first[name] for name in committed_files}


# --- list and coverage ---


def test_list_prints_one_id_a_line(tmp_path: Path) -> None:
    done = run("list", "--specs", write_specs(tmp_path), "reshape-14/zero")
    expected = "reshape-14/zero/float32\nreshape-14/zero/float32.opset17\n"
    assert (0, expected, "") == (done.returncode, done.stdout, done.stderr)


def test_a_pattern_that_takes_nothing_is_exit_5_and_says_what_is_near(tmp_path: Path) -> None:
    done = run("list", "--specs", write_specs(tmp_path), "reshape-14/zeros")
    assert (5, "") == (done.returncode, done.stdout)
    expected = "onnx-vectors: nothing below 'reshape-14' is called 'zeros'; did you mean zero?\n"
    assert expected == done.stderr


def test_coverage_prints_the_page(tmp_path: Path) -> None:
    done = run("coverage", "--specs", write_specs(tmp_path))
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("# Coverage\n")


def test_coverage_writes_the_page_and_checks_it(tmp_path: Path) -> None:
    specs, page = write_specs(tmp_path / "specs"), tmp_path / "docs" / "coverage.md"
    expected = (
        f"onnx-vectors: {page}: is out of date; run `onnx-vectors coverage --markdown {page}`"
    )
    assert expected == refused(run("coverage", "--specs", specs, "--check", page))
    assert 0 == run("coverage", "--specs", specs, "--markdown", page).returncode
    assert 0 == run("coverage", "--specs", specs, "--check", page).returncode
    page.write_text(page.read_text() + "\n")
    assert expected == refused(run("coverage", "--specs", specs, "--check", page))


def test_coverage_fails_on_a_gap(tmp_path: Path) -> None:
    specs = write_specs(
        tmp_path, RESHAPE.replace("    spread: [everywhere, types]\n", "    spread: everywhere\n")
    )
    done = run("coverage", "--specs", specs)
    assert 3 == done.returncode
    first = f"onnx-vectors: {specs}/reshape.yaml: Reshape-1 has no valid vector of float16"
    assert first == done.stderr.splitlines()[0]


# --- usage ---


def test_help_names_every_command() -> None:
    done = run("--help")
    assert 0 == done.returncode
    assert all(name in done.stdout for name in ("generate", "check", "list", "coverage", "import"))


@pytest.mark.parametrize(
    "arguments", [(), ("unheard",), ("generate", "--profile", "half"), ("list", "--unheard")]
)
def test_a_wrong_call_is_exit_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("usage: onnx-vectors" if not arguments else "onnx-vectors")
    assert arguments == () or 1 == len(done.stderr.splitlines())


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['onnx-vectors', '--help']\n"
        "from onnx_conformance.generators.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'onnx', 'numpy', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "[]" == done.stdout.splitlines()[-1]
