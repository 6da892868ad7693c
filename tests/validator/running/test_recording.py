"""Results files as they are written, cut short, read and continued."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import CorpusFacts, Header, Row
from onnx_conformance.validator.running.recording import Recording, check_same_run, recording

if TYPE_CHECKING:
    from pathlib import Path

CORPUS: CorpusFacts = {"version": "unversioned", "digest": None, "root": ""}
HEADER = Header("b", {"name": "b"}, CORPUS, ("a/b/one", "a/b/two", "a/b/three"))


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


def test_results_of_a_recording_are_those_of_its_file(tmp_path: Path) -> None:
    values = ({"name": "y", "type": "float32", "shape": (2,), "values": ("1.0", "nan")},)
    record = Recording(tmp_path / "r")
    record.begin(replace(HEADER, extra={"arguments": ("--vectors", "v"), "controls_added": ()}))
    record.row(row("one", details={"used": 0.1, "met": "ieee"}, types={"T": "float32"}))
    record.row(row("two", "wrong-value", got=values, details={"inputs": (("x",),)}))
    record.row(row("two", "rejected", got="rejected at load", covers=("x", "y")))
    record.finish(seconds=1.5, notes={"noise": 2}, lost_children={"count": 0, "limit": 3})
    record.close()
    assert read_results(tmp_path / "r") == record.results


def test_header_of_many_vectors_is_one_line_of_json(tmp_path: Path) -> None:
    for count in (0, 1, 1000, 2001):
        ids = tuple(f"a/b/{number}" for number in range(count))
        record = Recording(tmp_path / "r")
        record.begin(replace(HEADER, planned=ids))
        record.close()
        (line,) = (tmp_path / "r").read_text().splitlines()
        document = json.loads(line)
        assert ("header", list(ids)) == (document["record"], document["planned"])
        assert json.dumps(document, separators=(",", ":")) == line


def test_results_of_a_continued_recording_are_those_of_its_file(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two", "crashed", details={"reruns": ["pass"]}))
    record = Recording(path, read_results(path))
    record.begin(HEADER)
    record.row(row("three", "timed-out", message="no reply"))
    record.finish(seconds=0)
    record.close()
    assert read_results(path) == record.results


def test_a_recording_that_was_not_begun_has_no_results(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no header"):
        _ = Recording(tmp_path / "r").results


def test_each_row_is_on_disk_before_the_next_begins(tmp_path: Path) -> None:
    record = Recording(tmp_path / "r")
    record.begin(HEADER)
    record.row(row("one"))
    assert 1 == len(read_results(tmp_path / "r").rows)
    record.close()


@pytest.mark.parametrize("continued", [False, True])
def test_a_second_run_into_the_same_file_is_refused_and_harms_nothing(
    tmp_path: Path, *, continued: bool
) -> None:
    path = tmp_path / "r.jsonl"
    first = Recording(path)
    first.begin(HEADER)
    first.row(row("one"))
    second = Recording(path, read_results(path) if continued else None)
    with pytest.raises(BadInputError, match="another run is writing to it"):
        second.begin(HEADER)
    second.close()
    first.row(row("two"))
    first.close()
    assert ["a/b/one", "a/b/two"] == [item.id for item in read_results(path).rows]


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


def test_a_vector_that_was_damaged_is_run_again(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two", "bad-vector"))
    record = Recording(path, read_results(path))
    assert {"a/b/one": "pass"} == record.done
    record.begin(HEADER)
    record.row(row("two"))
    record.finish()
    record.close()
    found = read_results(path)
    assert ["pass", "pass"] == [item.verdict for item in found.rows]
    assert found.footer is not None
    assert {"pass": 2} == found.footer["counts"]


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        Recording(tmp_path / "file" / "r").begin(HEADER)


# --- what is continued ----------------------------------------------------------------------


def resumed(path: Path, header: Header, *rows: Row) -> list[str]:
    """The records of a file that was continued, by kind or id."""
    with recording(path, resume=True) as record:
        record.begin(header)
        for item in rows:
            record.row(item)
        record.finish()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [item.get("id", item["record"]) for item in lines]


@pytest.mark.parametrize("left", [b"", b'{"rec', b'{"record":"header","format":1,"backend":"b'])
def test_file_of_a_run_that_was_killed_within_its_header_is_begun_again(
    tmp_path: Path, left: bytes
) -> None:
    (tmp_path / "r").write_bytes(left)
    assert ["header", "a/b/one", "footer"] == resumed(tmp_path / "r", HEADER, row("one"))


def test_file_that_is_something_else_is_not_begun_again(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("my notes")
    with pytest.raises(BadInputError), recording(tmp_path / "r", resume=True):
        pass
    assert "my notes" == (tmp_path / "r").read_text()


def test_whole_row_without_its_line_end_is_kept_as_it_was_counted(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two"))
    path.write_bytes(path.read_bytes()[:-1])
    assert ["header", "a/b/one", "a/b/two", "a/b/three", "footer"] == resumed(
        path, HEADER, row("three")
    )


def test_half_a_row_is_cut_off_as_it_was_not_counted(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r", row("one"), row("two"))
    path.write_bytes(path.read_bytes()[:-5])
    assert ["header", "a/b/one", "a/b/two", "footer"] == resumed(path, HEADER, row("two"))


@pytest.mark.parametrize("key", ["name", "version"])
def test_rows_of_a_backend_that_describes_itself_otherwise_are_not_continued(
    tmp_path: Path, key: str
) -> None:
    path = recorded(tmp_path / "r", row("one"))
    before = path.read_bytes()
    other = replace(HEADER, describe={**HEADER.describe, key: "other"})
    with pytest.raises(UsageError, match=f"are of a backend whose {key} is"):
        resumed(path, other)
    assert before == path.read_bytes()


@pytest.mark.parametrize("key", ["backend", "tolerance"])
def test_rows_of_another_program_or_tolerance_are_not_continued(tmp_path: Path, key: str) -> None:
    header = replace(HEADER, extra={"backend": "command:a", "tolerance": "onnx"})
    with recording(tmp_path / "r", resume=False) as record:
        record.begin(header)
    earlier = read_results(tmp_path / "r")
    check_same_run(earlier, "b", None, HEADER.planned, header.extra)
    with pytest.raises(UsageError, match=f"were made with --{key} "):
        check_same_run(earlier, "b", None, HEADER.planned, {**header.extra, key: "other"})
