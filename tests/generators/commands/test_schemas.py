"""`onnx-vectors schemas` as a person calls it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import onnx
import pytest
from places import SPECS

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.generators.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the committed snapshot."""
    shutil.copy(SPECS / "schemas.json", tmp_path)
    return tmp_path


def schemas(*arguments: str | Path) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, ["schemas", *map(str, arguments)])


def test_it_writes_a_snapshot_that_its_check_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "schemas.json"
    assert 0 == schemas("--specs", tmp_path)
    content = "659 versions of 227 operators"
    assert f"{path}: {content} of onnx {onnx.__version__}\n" == capsys.readouterr().out
    assert 0 == schemas("--specs", tmp_path, "--check")
    assert (
        f"{path}: {content} of onnx {onnx.__version__} are those of the installed onnx"
        f" {onnx.__version__}\n"
    ) == capsys.readouterr().out


def test_the_check_names_what_differs_and_writes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "schemas.json"
    stale = path.read_text("utf-8").replace('"min: T optional"', '"low: T optional"')
    path.write_text(stale, "utf-8")
    assert 3 == schemas("--specs", folder, "--check")
    shown = capsys.readouterr()
    assert "" == shown.out
    *changes, advice = shown.err.splitlines()
    assert [
        f"onnx-vectors: Clip-{number}: inputs: the snapshot has (input: T, low: T optional,"
        " max: T optional), onnx (input: T, min: T optional, max: T optional)"
        for number in (11, 12, 13)
    ] == changes
    assert (
        f"onnx-vectors: {path} is of onnx 1.23.2; onnx {onnx.__version__} is installed. To move to"
        f" it, run `onnx-vectors schemas --specs {folder}` and read what changed"
    ) == advice
    assert stale == path.read_text("utf-8")


def test_the_check_of_a_folder_without_a_snapshot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 3 == schemas("--specs", tmp_path, "--check")
    assert (
        f"onnx-vectors: {tmp_path / 'schemas.json'}: is not there; `onnx-vectors schemas` writes"
        " it\n"
    ) == capsys.readouterr().err


def test_it_writes_the_schema_for_editors_and_its_check_notices_an_old_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == schemas("--specs", tmp_path)
    path = tmp_path / "schema.json"
    assert (SPECS / "schema.json").read_text("utf-8") == path.read_text("utf-8")
    path.write_text("{}")
    assert 3 == schemas("--specs", tmp_path, "--check")
    expected = (
        f"onnx-vectors: {path}: is out of date; run `onnx-vectors schemas --specs {tmp_path}`"
    )
    assert expected == capsys.readouterr().err.splitlines()[-1]
