"""Text of others is never code, moves no cursor and forges no line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from commands import run_words, validate
from misbehaviour import harness
from runnable_corpus import runnable_corpus, shape_vector, write_vector

from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.generators.corpus.writing import CorpusWriter

if TYPE_CHECKING:
    from pathlib import Path

# A line end of each kind, then code for Python and for a shell, then an escape and an override.
HOSTILE = (
    "".join(
        f"{end}import os; os.mkdir('pwned')\n$(mkdir pwned)`mkdir pwned`; mkdir pwned"
        for end in ("\n", "\r", "\u2028", "\x0b", "\x85", "'''\n", '"""\n', "*/\n")
    )
    + "\x1b[2J\u202e"
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A vector of which each text that may be anything is hostile."""
    root = tmp_path / "vectors"
    facts = {"purpose": HOSTILE, "form": HOSTILE, "covers": ("x",), "documented": HOSTILE}
    write_vector(root, shape_vector("shape-15/case/float32", **facts))
    words = {"text": HOSTILE, "document": HOSTILE, "part": HOSTILE}
    (root / "requirements.json").write_text(json.dumps({"Shape": {"x": words}}))
    manifest = {"format": 1, "corpus": HOSTILE, "vectors": {}}
    (folder,) = (path.parent for path in root.rglob("data.json"))
    manifest["vectors"] = {"valid": {"shape-15/case/float32": digest(read_files(folder))}}
    (root / "manifest.json").write_text(json.dumps(manifest))
    return root


@pytest.mark.parametrize("backend", ["onnxruntime", "reference", "command"])
def test_nothing_of_a_corpus_is_code_in_a_reproducer(
    tmp_path: Path, corpus: Path, backend: str
) -> None:
    if backend == "command":
        backend = "command:" + " ".join(harness("well_behaved"))
    folder = tmp_path / "repro"
    words = ("--backend", backend, "--vectors", corpus, "--output", folder)
    done = validate("repro", "shape-15/case/float32", *words)
    assert ExitCode.OK == done.returncode, done.stderr
    scripts = list(folder.rglob("repro.*"))
    assert scripts
    for path in scripts:
        interpreter = [sys.executable] if path.suffix == ".py" else ["/bin/sh"]
        shown = subprocess.run(
            [*interpreter, str(path)], cwd=folder, check=False, capture_output=True, timeout=60
        )
        assert 0 == shown.returncode, shown.stderr
    assert [] == list(tmp_path.rglob("pwned"))


def test_nothing_of_a_corpus_reaches_a_terminal_raw(corpus: Path) -> None:
    done = validate(*run_words(corpus, "int32_instead"), "--verbose", SPOIL="/case")
    assert ExitCode.UNEXPECTED == done.returncode
    listed = validate("list", "--vectors", corpus)
    for printed in (done.stdout, done.stderr, listed.stdout):
        assert (0, 0) == (printed.count(b"\x1b"), printed.count("\u202e".encode()))


def test_name_of_a_folder_is_one_line_in_a_list(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("one",))
    (root / "manifest.json").unlink()
    folder = next(root.rglob("model.onnx")).parent
    (folder / "data.json").unlink()
    shutil.move(folder, folder.with_name("a\nb\x1b[2J\u202ec"))
    done = validate("list", "--vectors", root)
    assert b"valid/shape-15/a\\nb\\x1b[2j\\u202ec\n" == done.stdout


def test_last_words_of_a_backend_are_one_line(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("one",))
    command = r"command:sh -c 'printf \"\033[2J\r\033]0;title\007boo\" >&2; exit 1'"
    done = validate("run", "--backend", command, "--vectors", root)
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert (1, 0) == (done.stderr.count(b"\n"), done.stderr.count(b"\x1b"))


@pytest.mark.parametrize("name", ["valid", "valid/shape-15"])
def test_nothing_behind_a_link_is_removed(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    runnable_corpus(precious, ("one",))
    root = tmp_path / "vectors"
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(precious / name)
    before = sorted(precious.rglob("*"))
    with pytest.raises(BadInputError, match="is a link"), CorpusWriter(root) as writer:
        writer.finish({})
    assert before == sorted(precious.rglob("*"))
