"""Which files changed, in a repository of git's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from tools.affected.changes import changed_files

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    program = shutil.which("git") or "git"
    subprocess.run([program, "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--initial-branch", "main")
    for name in ("kept", "edited", "renamed", "committed"):
        (tmp_path / name).write_text(f"{name}\n" * 20)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    git(tmp_path, "checkout", "-b", "mine")
    return tmp_path


def test_nothing_differs_at_first(repository: Path) -> None:
    assert [] == changed_files(repository, "main")


def test_commits_edits_new_files_and_both_names_of_a_renamed_one_count(repository: Path) -> None:
    (repository / "committed").write_text("else\n")
    git(repository, "commit", "-am", "second")
    (repository / "edited").write_text("else\n")
    git(repository, "mv", "renamed", "place")
    (repository / "new täst").write_text("")
    expected = ["committed", "edited", "new täst", "place", "renamed"]
    assert expected == changed_files(repository, "main")


def test_what_the_other_branch_did_meanwhile_does_not_count(repository: Path) -> None:
    git(repository, "checkout", "main")
    (repository / "theirs").write_text("")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "theirs")
    git(repository, "checkout", "mine")
    assert [] == changed_files(repository, "main")


def test_an_unknown_revision_is_said(repository: Path) -> None:
    with pytest.raises(BadInputError, match="nowhere"):
        changed_files(repository, "nowhere")


def test_a_folder_that_is_no_checkout_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(BadInputError, match="git"):
        changed_files(tmp_path, "main")


def affected(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.affected", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unknown_revision_ends_the_command_without_a_test() -> None:
    done = affected("--since", "no-such-revision")
    assert 2 == done.returncode
    assert done.stderr.startswith("affected: git merge-base no-such-revision HEAD: ")
