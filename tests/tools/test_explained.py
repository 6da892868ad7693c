"""What is known of runtimes that no gate watches: baselines/causes, and the tables that show it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from findings_tables import slug
from places import ROOT
from runnable_corpus import runnable_corpus
from tools import explained

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import Results, Row

if TYPE_CHECKING:
    from pathlib import Path


NAMES = sorted(path.stem for path in explained.KNOWN.glob("*.yaml"))
WRONG = "  - {cause: wrong Add, kind: open, verdicts: [wrong-value], operators: [Add]}\n"


def known(folder: Path, *causes: str) -> tuple[explained.Known, ...]:
    """The causes of a file that is written for a test."""
    path = folder / "some.yaml"
    path.write_text("format: 1\ncauses:\n" + "".join(causes), encoding="utf-8")
    return explained.known_causes(path)


def results(folder: Path) -> Results:
    """A run with two vectors that fail."""
    path = folder / "some.jsonl"
    verdicts = {"add-14/a/float32": "wrong-value", "add-14/b/float32": "pass"}
    sample.simple(path, "some", {**verdicts, "abs-13/c/float32": "wrong-value"})
    return read_results(path)


def test_every_file_has_its_page() -> None:
    assert NAMES
    assert [name for name in NAMES if (explained.PAGES / f"{name}.md").is_file()] == NAMES


def test_verdict_that_the_baseline_of_another_backend_lists_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vectors").mkdir()
    runnable_corpus(tmp_path / "vectors" / "standard", ["one", "two"])
    (tmp_path / "baselines").mkdir()
    entry = "{id: shape-15/one/float32, verdict: wrong-value, reason: known}"
    (tmp_path / "baselines" / "judge.yaml").write_text(f"entries: [{entry}]\n", "utf-8")
    monkeypatch.setattr(explained, "ROOT", tmp_path)
    cause = "  - {cause: its own, kind: judge, verdicts: [wrong-value], listed: judge}\n"
    ids = ("shape-15/one/float32", "shape-15/two/float32")
    path = tmp_path / "some.jsonl"
    sample.simple(path, "some", dict.fromkeys(ids, "wrong-value"))
    (own,) = known(tmp_path, cause)
    found, left = explained.explained((own,), read_results(path))
    assert ([ids[0]], [ids[1]]) == ([row.id for row in found[own]], [row.id for row in left])


def test_cause_of_invalid_models_alone_leaves_the_valid_ones(tmp_path: Path) -> None:
    some = results(tmp_path)
    rows = [
        Row(f"abs-13/{kind.value}/float32", Verdict.WRONG_VALUE, None, "", 0.0, kind)
        for kind in (Kind.VALID, Kind.INVALID)
    ]
    cause = "  - {cause: invalid, kind: open, verdicts: [wrong-value], vectors: [invalid]}\n"
    _, left = explained.explained(known(tmp_path, cause), Results(some.header, rows, None))
    assert ["abs-13/valid/float32"] == [row.id for row in left]


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_section(name: str) -> None:
    for cause in explained.known_causes(explained.KNOWN / f"{name}.yaml"):
        page, _, anchor = cause.link.partition("#")
        if page:
            headings = re.findall(r"^## (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
            assert not anchor or anchor in map(slug, headings), cause.link


@pytest.mark.parametrize("name", NAMES)
def test_every_cause_of_a_table_is_one_of_the_file(name: str) -> None:
    table = (explained.PAGES / f"{name}.md").read_text("utf-8").partition(explained.HEADING)[2]
    shown = re.findall(r"^\| (.+?) \| [\d,]+ \|", table, re.MULTILINE)
    causes = [cause.cause for cause in explained.known_causes(explained.KNOWN / f"{name}.yaml")]
    assert shown
    assert set(shown) <= set(causes)


def test_a_failure_is_put_below_the_first_cause_that_fits(tmp_path: Path) -> None:
    second = WRONG.replace("wrong Add", "again")
    first, again = known(tmp_path, WRONG, second)
    found, left = explained.explained((first, again), results(tmp_path))
    assert [row.id for row in found[first]] == ["add-14/a/float32"]
    assert found[again] == []
    assert [row.id for row in left] == ["abs-13/c/float32"]


@pytest.mark.parametrize(
    "cause",
    [
        WRONG.replace("open", "finding"),
        WRONG.replace("open", "unheard"),
        WRONG.replace("[wrong-value]", "[wrong]"),
        WRONG.replace("operators", "operator"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path, cause: str) -> None:
    with pytest.raises(BadInputError, match=r"some.yaml:3: "):
        known(tmp_path, cause)


def test_the_page_counts_what_it_shows(tmp_path: Path) -> None:
    (cause,) = known(tmp_path, WRONG)
    run = results(tmp_path)
    page = explained.page("some", run, explained.explained((cause,), run)[0])
    assert "| wrong Add | 1 | `add-14/a/float32` | open |" in page


@pytest.mark.parametrize(("selection", "code"), [({}, 1), ({"operators": ["Add"]}, 0)])
def test_a_cause_without_a_vector_is_an_error_in_a_run_of_everything(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    selection: dict[str, list[str]],
    code: int,
) -> None:
    all_wrong = WRONG.replace(", operators: [Add]", "")
    known(tmp_path, all_wrong, WRONG.replace("wrong Add", "mended"))
    header = sample.header("some", ["add-14/a/float32"])
    header = replace(header, extra={"selection": selection} if selection else {})
    run = tmp_path / "some.jsonl"
    sample.write(run, header, [sample.row("add-14/a/float32", "wrong-value")])
    monkeypatch.setattr(explained, "KNOWN", tmp_path)
    monkeypatch.setattr("sys.argv", ["explained.py", "some", str(run)])
    assert code == explained.main()
    said = f"{tmp_path / 'some.yaml'}:4: no vector has this cause: mended\n"
    assert (said if code else "") == capsys.readouterr().err
