"""What Windows lacks is taken away here, as far as a Linux machine can.

No process groups, few signals, no locks of files, and pipes that no selector can wait for.
"""

from __future__ import annotations

import errno
import os
import selectors
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path, PureWindowsPath

import pytest
import sample_results as sample
from committed_corpus import published_kinds
from misbehaviour import run_cases
from on_windows import TASKKILL, SocketsAlone
from places import SUPPORT
from planned_files import expected_files
from runnable_corpus import runnable_corpus

from onnx_conformance.core import systems
from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BackendUnusableError, cannot_write
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.shipping.installed import PACKAGE
from onnx_conformance.validator.host.child import Child
from onnx_conformance.validator.results.rerun_command import reproducing_command

TESTS = SUPPORT
ROOT = TESTS.parent
OTHERS = ("one", "two", "three", "four")


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on Windows, where this process itself judges."""
    monkeypatch.setattr(systems, "WINDOWS", True)
    for name in ("killpg", "set_blocking", "waitid"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr(selectors, "DefaultSelector", SocketsAlone)
    folder = tmp_path / "system32"
    folder.mkdir()
    (folder / "taskkill").write_text(TASKKILL)
    (folder / "taskkill").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def there(folder: Path, program: str, *words: object) -> str:
    """What a program prints in a process that lacks what Windows lacks; it must end well."""
    start = f"""
import sys
from pathlib import Path
sys.path.append({str(TESTS)!r})
import on_windows
on_windows.pretend(Path({str(folder)!r}))
"""
    done = subprocess.run(
        [sys.executable, "-c", start + textwrap.dedent(program), *map(str, words)],
        capture_output=True,
        encoding="cp1252",
        timeout=300,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    said = [line for line in done.stderr.splitlines() if ": note: " not in line]
    assert (0, []) == (done.returncode, said), done.stdout[-2000:]
    return done.stdout


def test_every_module_is_imported_without_what_windows_lacks(tmp_path: Path) -> None:
    program = """
    import importlib, pkgutil
    import onnx_conformance.core, onnx_conformance.generators, onnx_conformance.validator
    sys.platform = "win32"
    count = 0
    for package in (onnx_conformance.core, onnx_conformance.generators, onnx_conformance.validator):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if ".harnesses.runtimes." not in found.name and "skeletons" not in found.name:
                if not found.name.endswith("__main__"):
                    importlib.import_module(found.name)
                    count += 1
    print(count)
    """
    assert 100 < int(there(tmp_path, program))


COMMANDS = """
from onnx_conformance.validator.main import main
for line in Path(sys.argv[1]).read_text("utf-8").splitlines():
    code, *words = line.split("|")
    sys.argv = ["onnx-validate", *words]
    found = main()
    assert int(code) == found, (line, found)
"""


def test_every_command_works_without_what_windows_lacks(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", OTHERS)
    plan = tmp_path / "plan.txt"
    vectors, one = f"--vectors|{root}", "shape-15/one/float32"
    lines = [
        f"0|run|--backend|reference|{vectors}|--jobs|2|--results|a.jsonl|--markdown|a.md|--junit|a.xml",
        f"0|run|--backend|reference|{vectors}|--results|b.jsonl|{one}",
        f"0|run|--backend|reference|{vectors}|--results|b.jsonl|--resume|--allow-resumed|{one}",
        f"0|list|{vectors}",
        f"0|show|{vectors}|{one}|a.jsonl",
        "0|backends",
        "0|report|a.jsonl|--html|a.html",
        "0|site|a.jsonl|--output|site",
        "0|site|a.jsonl|--output|site",
        "0|compare|a.jsonl|a.jsonl",
        "0|baseline|init|a.jsonl|--output|base.yaml",
        "0|baseline|check|base.yaml|a.jsonl",
        "0|baseline|update|base.yaml|a.jsonl",
        "0|harness|new|go",
        f"0|harness|check|--|{sys.executable}|-m|onnx_conformance.validator.harnesses|reference",
        f"0|repro|--backend|reference|--issue|{vectors}|{one}",
    ]
    plan.write_text("\n".join(lines), "utf-8")
    assert "gate green" in there(tmp_path, COMMANDS, plan)
    written = [
        *(
            tmp_path / name
            for name in ("a.jsonl", "a.md", "a.xml", "b.jsonl", "a.html", "base.yaml")
        ),
        *(path for path in (tmp_path / "site").rglob("*") if path.is_file()),
        *(path for path in (tmp_path / "harness-go").rglob("*") if path.is_file()),
        *(path for path in tmp_path.glob("repro-*/*.*") if path.is_file()),
    ]
    assert len(written) > 18
    assert [] == [path.name for path in written if b"\r" in path.read_bytes()]


def test_the_corpus_is_written_byte_by_byte_without_what_windows_lacks(tmp_path: Path) -> None:
    package = Path(PACKAGE)
    specs = tmp_path / "specs"
    specs.mkdir()
    for name in ("corpus.yaml", "types.yaml", "schemas.json", "size.yaml", "not.yaml"):
        (specs / name).write_bytes((package / "specs" / name).read_bytes())
    corpus = plan_corpus(specs)
    expected = {
        f"{place}/{name}".lstrip("/"): content
        for place, files in expected_files(corpus)
        for name, content in files.items()
    }
    published = tmp_path / "published"
    for name, content in expected.items():
        if not name.startswith(("valid/", "invalid/", "latitude/")):
            (published / name).parent.mkdir(parents=True, exist_ok=True)
            (published / name).write_bytes(content)
    program = """
    import multiprocessing
    multiprocessing.set_start_method("spawn", force=True)
    import io
    from onnx_conformance.core.corpus.corpus import load, open_corpus
    from onnx_conformance.generators.corpus.making import plan_corpus
    from onnx_conformance.generators.corpus.shipping.installed import installed_corpus
    from planned_files import write_corpus
    if __name__ == "__main__":
        here = Path.cwd()
        written = write_corpus(plan_corpus(here / "specs"), here / "out")
        assert 0 == write_corpus(plan_corpus(here / "specs"), here / "out").added
        cache = {"ONNX_CONFORMANCE_CACHE": str(here / "cache")}
        source = installed_corpus(io.StringIO(), here, cache)
        corpus = open_corpus(source.root, source)
        corpus.provide(corpus.entries.values())
        assert written.added == sum(bool(load(item)) for item in corpus.entries.values())
    """
    there(tmp_path, program)
    out = tmp_path / "out"
    found = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }
    assert expected == found


def test_an_import_is_written_byte_by_byte_without_what_windows_lacks(tmp_path: Path) -> None:
    program = """
    from onnx_conformance.core.corpus.corpus import load, open_corpus
    from onnx_conformance.generators.importing.writing import ImportedCase, write
    from runnable_corpus import shape_vector
    from onnx_conformance.core.corpus.vectors import DATA_FILE
    from onnx_conformance.core.corpus.metadata import to_json
    import json
    vector = shape_vector("shape-15/one/float32")
    content = bytes(range(256)) * 20 + b"\\n\\r\\n\\x1a end"
    files = {DATA_FILE: json.dumps(to_json(vector)).encode(), "model.onnx": content}
    for _ in range(2):
        write([ImportedCase(vector, files)], "1.2.3", Path("imported"))
    entry = open_corpus(Path("imported")).entries[vector.id]
    assert content == load(entry).files["model.onnx"]
    """
    there(tmp_path, program)
    (model,) = (tmp_path / "imported").rglob("model.onnx")
    assert bytes(range(256)) * 20 + b"\n\r\n\x1a end" == model.read_bytes()


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize(
    ("name", "verdict", "message"),
    [
        ("well_behaved", "pass", ""),
        ("segfaults", "crashed", "signal SIGSEGV; it said: about to die"),
        ("exits", "crashed", "exit 3"),
        ("panics", "crashed", "exit 101; it said: thread 'main' panicked"),
        ("hangs", "timed-out", "no reply within"),
        ("not_json", "protocol-error", "NaN is not JSON"),
        ("endless_line", "protocol-error", "more than 1 MiB on standard output"),
        ("floods_stderr", "timed-out", "no reply within"),
        ("closes_output", "crashed", "closed its standard output"),
        ("closes_input", "timed-out", "no reply within"),
    ],
)
def test_a_verdict_is_that_of_its_vector_alone(
    tmp_path: Path, name: str, verdict: str, message: str
) -> None:
    ran = run_cases(tmp_path, name, timeout=2)
    assert verdict == ran.rows["bad"].verdict
    assert message in ran.rows["bad"].message
    assert ["pass"] * len(OTHERS) == [ran.verdicts[case] for case in OTHERS]


@pytest.mark.usefixtures("lacking")
def test_what_a_child_wrote_before_its_end_is_read() -> None:
    program = (
        "import sys; sys.stdout.write('x' * 300_000 + chr(10)); sys.stderr.write('last words')"
    )
    one = Child((sys.executable, "-c", program))
    end = time.monotonic() + 30
    while one.alive and time.monotonic() < end:
        one.read()
        time.sleep(0.005)
    one.read()
    one.keep_rest()
    one.kill()
    assert b"x" * 300_000 == one.next_line() or one.eof
    assert "last words" in one.stderr.text()


@pytest.mark.usefixtures("lacking")
def test_a_limit_that_the_system_lacks_is_said() -> None:
    with pytest.raises(BackendUnusableError, match="--memory-limit: this system has no such"):
        Child((sys.executable, "-c", "pass"), memory_limit=100)


@pytest.mark.usefixtures("lacking")
def test_a_child_is_ended_with_what_it_started(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "leaves_a_grandchild", timeout=2)
    assert ["pass"] * len(OTHERS) == [ran.verdicts[case] for case in OTHERS]
    calls = (tmp_path / "system32" / "taskkill.txt").read_text().splitlines()
    assert calls
    assert all(line.startswith("/F /T /PID ") for line in calls)


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize("end", [".cmd", ".exe"])
@pytest.mark.parametrize("place", ["by its place", "by PATH"])
def test_a_program_is_found_without_the_end_of_its_name(
    tmp_path: Path, end: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / f"ourharness{end}"
    program.write_text('#!/bin/sh\necho "$1"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    word = str(tmp_path / "ourharness") if place == "by its place" else "ourharness"
    one = Child((word, "a word"))
    one.process.wait()
    while one.alive:
        one.read()
    assert b"a word" == one.next_line()
    one.kill()


@pytest.mark.usefixtures("lacking")
def test_a_script_that_is_no_program_is_said(tmp_path: Path) -> None:
    (tmp_path / "harness.py").write_text("")
    with pytest.raises(BackendUnusableError, match="name the interpreter before it"):
        Child((str(tmp_path / "harness.py"),))


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["onnx-validate", "list", "max-12/types/int64"], "onnx-validate list max-12/types/int64"),
        (["run", "*/clip_start/*"], 'run "*/clip_start/*"'),
        (["command:node a b.mjs", "C:\\a b\\"], '"command:node a b.mjs" "C:\\a b\\\\"'),
        (["a&b", 'say "no"'], '"a&b" "say \\"no\\""'),
    ],
)
def test_a_command_line_is_quoted_as_cmd_reads_it(words: list[str], line: str) -> None:
    assert line == systems.command_line(words)


@pytest.mark.usefixtures("lacking")
def test_the_command_that_runs_a_vector_alone_is_quoted_as_cmd_reads_it() -> None:
    header = sample.header("one", ["add-14/*/float32"])
    assert reproducing_command(header, "a-1/b/c").endswith(' "a-1/b/c"')


@pytest.mark.usefixtures("lacking")
def test_the_cache_is_where_programs_of_a_user_keep_their_data() -> None:
    assert Path("/local/onnx-conformance") == cache_folder({"LOCALAPPDATA": "/local"})
    assert Path("/short") == cache_folder({"ONNX_CONFORMANCE_CACHE": "/short"})


@pytest.mark.parametrize(("windows", "said"), [(True, True), (False, False)])
def test_a_path_that_is_too_long_is_said_where_it_is(
    monkeypatch: pytest.MonkeyPatch, *, windows: bool, said: bool
) -> None:
    monkeypatch.setattr(systems, "WINDOWS", windows)
    error = OSError(errno.ENOENT, "No such file or directory")
    assert said == ("Windows takes 259" in str(cannot_write("C:/" + "a" * 250, error)))
    assert "Windows" not in str(cannot_write("C:/short", error))


# --- names ------------------------------------------------------------------------------------

GIT = shutil.which("git") or ""
RESERVED = {"CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"} | {
    f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789\u00b9\u00b2\u00b3"
}
SHORT_CACHE = "C:\\onnx\\"


def forbidden(path: str) -> bool:
    """Whether Windows takes no file of this relative path, or gives it another name."""
    return any(
        set(part) & set('<>:"\\|?*') or min(part) < " " or part[-1] in ". "
        or part.partition(".")[0].rstrip().upper() in RESERVED
        for part in path.split("/")
    )  # fmt: skip


def test_names_that_windows_forbids_are_known_as_such() -> None:
    names = ("a/nul", "Aux.txt", "com1.onnx", "a./b", "a ", "a:b", "x/a?", "lpt\u00b2")
    assert list(names) == [name for name in names if forbidden(name)]
    assert not forbidden("valid/size-13/test_size_13_null_con/model.onnx")


def test_no_folder_of_a_vector_has_a_name_that_windows_forbids() -> None:
    folders = [relative_directory(kind, name) for name, kind in published_kinds().items()]
    assert len(folders) > 30_000
    assert [] == [folder for folder in folders if forbidden(folder)]
    assert len(folders) == len({folder.lower() for folder in folders})


def test_each_vector_has_its_place_below_a_short_folder_of_windows() -> None:
    def longest(vector_id: str, kind: str) -> int:
        version = vector_id.partition("/")[0]
        folder = f"{version}-{'0' * 16}\\{relative_directory(kind, vector_id)}"
        # Two-figure numbers of data sets and outputs, beyond what any vector has today.
        return len(f"{SHORT_CACHE}{folder}\\test_data_set_10\\output_10.pb")

    worst = max((longest(name, kind), name) for name, kind in published_kinds().items())
    assert worst[0] < systems.LONGEST_PATH, worst


def tracked() -> list[str]:
    if not GIT or not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    done = subprocess.run(
        [GIT, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return done.stdout.rstrip("\0").split("\0")


def test_a_checkout_has_no_name_that_windows_forbids() -> None:
    names = tracked()
    assert [] == [name for name in names if forbidden(name)]
    assert len(names) == len({name.lower() for name in names})
    clone = PureWindowsPath("C:\\Users\\somebody\\source\\repos\\onnx-conformance")
    assert max(len(str(clone / name)) for name in names) < systems.LONGEST_PATH


def test_git_leaves_line_ends_as_they_were_committed(tmp_path: Path) -> None:
    tracked()  # skips where there is no git
    here, there_ = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    shutil.copy(ROOT / ".gitattributes", here)
    content = {"data.json": b"{\n}\n", "model.onnx": b"\n\r\n\0", "notes.md": b"a\nb\n"}
    for name, data in content.items():
        (here / name).write_bytes(data)
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"),
        ("-c", "core.autocrlf=true", "clone", "-q", str(here), str(there_)),
    ):
        subprocess.run([GIT, *words], cwd=here, check=True, capture_output=True)
    assert content == {name: (there_ / name).read_bytes() for name in content}
