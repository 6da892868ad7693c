"""A folder without a manifest: nothing that could be a vector is passed over in silence."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from plain_directories import write_abs

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and permissions of POSIX")


def found(root: Path) -> dict[str, str]:
    """For each vector of a folder why it cannot be loaded; empty if it can."""
    return {item: why_not(root, item) for item in open_corpus(root).entries}


def why_not(root: Path, vector_id: str) -> str:
    try:
        load(open_corpus(root).entries[vector_id])
    except BadInputError as error:
        return str(error)
    return ""


def test_a_vector_that_is_a_link_inside_the_folder_is_one(tmp_path: Path) -> None:
    write_abs(tmp_path / ".store" / "abc")
    (tmp_path / "test_abs").symlink_to(".store/abc")
    assert {".store/abc": "", "test_abs": ""} == found(tmp_path)


def test_files_that_are_links_inside_the_folder_are_read(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "store").mkdir()
    model = tmp_path / "test_abs" / "model.onnx"
    shutil.move(model, tmp_path / "store" / "kept.onnx")
    model.symlink_to("../store/kept.onnx")
    assert {"test_abs": ""} == found(tmp_path)


@pytest.mark.parametrize("linked", ["test_abs", "test_abs/model.onnx", "test_abs/test_data_set_0"])
def test_a_link_that_leads_outside_is_named(tmp_path: Path, linked: str) -> None:
    root, outside = tmp_path / "opened", tmp_path / "outside"
    write_abs(root / "test_abs")
    shutil.move(root / linked, outside)
    (root / linked).symlink_to(outside)
    assert ["test_abs"] == list(found(root))
    assert f"{root / linked}: is a link that leads outside {root}" in found(root)["test_abs"]


def test_a_link_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_add").symlink_to("gone")
    assert "is a link that leads nowhere" in found(tmp_path)["test_add"]


def test_a_link_to_a_folder_around_it_ends(tmp_path: Path) -> None:
    write_abs(tmp_path / "node" / "test_abs")
    (tmp_path / "node" / "again").symlink_to("..")
    assert "is a link to a folder that it lies in" in found(tmp_path)["node/again"]


def test_a_vector_that_lost_its_model_is_named(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_abs" / "model.onnx").unlink()
    assert "has no model.onnx" in found(tmp_path)["test_abs"]


def test_an_empty_folder_is_named_but_not_one_of_a_tool(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_add").mkdir()
    (tmp_path / ".git" / "refs").mkdir(parents=True)
    assert ["test_abs", "test_add"] == list(found(tmp_path))
    assert "has no model.onnx" in found(tmp_path)["test_add"]


def test_a_data_json_that_is_a_folder_makes_no_plain_vector(tmp_path: Path) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_abs" / "data.json").mkdir()
    assert "has no data.json" in found(tmp_path)["test_abs"]


@contextlib.contextmanager
def without_rights() -> Iterator[Path]:
    """A folder of somebody who is not root."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        try:
            yield Path(folder)
        finally:
            os.seteuid(user)


def test_a_folder_that_may_not_be_read_is_named() -> None:
    with without_rights() as root:
        write_abs(root / "test_abs")
        write_abs(root / "test_add")
        (root / "test_add").chmod(0)
        if os.geteuid() == 0:
            os.seteuid(65534)
        assert "cannot be read: Permission denied" in found(root)["test_add"]


def test_what_was_found_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_abs(tmp_path / "test_abs")
    (tmp_path / "test_add").symlink_to("gone")
    open_vectors(tmp_path)
    said = f"note: {tmp_path} has no manifest; found in it: 2 vectors, 1 of which cannot be read\n"
    assert said == capsys.readouterr().err
