"""Results files as they are written, cut short, read and continued."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.results.records import Header, Row, read_results
from onnx_conformance.validator.running.recording import Recording

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header("b", {"name": "b"}, {"digest": None}, ("a/b/one", "a/b/two", "a/b/three"))


def row(case: str, verdict: str = "pass", **changes: object) -> Row:
    facts = {"phase": None, "message": "", "seconds": 0.5, **changes}
    return Row(f"a/b/{case}", verdict, **facts)  # type: ignore[arg-type]


def recorded(path: Path, *rows: Row) -> Path:
    record = Recording(path)
    record.begin(HEADER)
    for item in rows:
        record.row(item)
    record.close()
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    rows = (
        row("one", types={"T": "float32"}, covers=("x", "y"), details={"model": "m"}),
        row("two", "crashed", message="details", covers=("details",), got=[1], stderr="s"),
    )
    results = read_results(recorded(tmp_path / "r", *rows))
    assert rows == results.rows
    assert HEADER == results.header
    assert ("a/b/three",) == results.missing


def test_each_row_is_on_disk_before_the_next_begins(tmp_path: Path) -> None:
    record = Recording(tmp_path / "r")
    record.begin(HEADER)
    record.row(row("one"))
    assert 1 == len(read_results(tmp_path / "r").rows)
    record.close()


def test_half_a_last_line_is_a_vector_without_a_verdict(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two"))
    path.write_bytes(path.read_bytes()[:-20])
    assert ["a/b/one"] == [item.id for item in read_results(path).rows]


def test_damage_in_the_middle_is_named_with_its_line(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two"))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:30], lines[2]]) + "\n")
    with pytest.raises(BadInputError, match="r:2: is not a results record"):
        read_results(path)


def test_continued_file_counts_what_was_there(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two", "crashed"))
    with path.open("a") as stream:
        stream.write('{"record":"footer","counts":{}}\n')
    record = Recording(path, read_results(path))
    record.begin(HEADER)
    record.row(row("three"))
    record.finish()
    record.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert ["header", "row", "row", "row", "footer"] == [item["record"] for item in lines]
    assert {"crashed": 1, "pass": 2} == lines[-1]["counts"]


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        Recording(tmp_path / "file" / "r").begin(HEADER)
