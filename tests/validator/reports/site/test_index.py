"""The first page: what this is, each runtime, the map of operators, and what is wrong."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.validator.reports.facts.tally import as_seen
from onnx_conformance.validator.reports.site.history import history
from onnx_conformance.validator.reports.site.index import CAUSES_FIRST, CAUSES_SHOWN
from onnx_conformance.validator.reports.site.writing import write_site
from onnx_conformance.validator.results.merging import merge, read_sources

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/other/int8"
C = "size-13/scalar/int8"
VALIDITY = {"name": "checker", "version": "1", "judges": "validity"}


def run(folder: Path, name: str, verdicts: dict[str, str], **facts: object) -> Results:
    return sample.simple(folder / f"{name}.jsonl", name, verdicts, **facts)


def page(folder: Path, *columns: Results, earlier: tuple[Results, ...] = ()) -> str:
    write_site(columns, folder / "site", earlier)
    return (folder / "site" / "index.html").read_text(encoding="utf-8")


def row_of(text: str, operator: str) -> str:
    return next(line for line in text.splitlines() if f">{operator}</a>" in line)


def test_runtimes_come_before_operators_and_these_before_what_is_wrong(tmp_path: Path) -> None:
    text = page(tmp_path, run(tmp_path, "one", {A: "crashed"}))
    places = [text.index(f'<section id="{name}"') for name in ("runtimes", "operators", "wrong")]
    assert sorted(places) == places


def test_a_cell_shows_the_worst_and_how_many_tenths_that_is(tmp_path: Path) -> None:
    one = run(tmp_path, "one", {A: "crashed", B: "wrong-value", C: "pass"})
    text = page(tmp_path, one)
    assert '<td class=c5 title="1 crashed, 1 fail">!' in row_of(text, "Shape")


def test_a_cell_is_full_where_all_came_to_the_same(tmp_path: Path) -> None:
    text = page(tmp_path, run(tmp_path, "one", {A: "wrong-value", B: "rejected", C: "pass"}))
    assert '<td class=F title="2 fail">' in row_of(text, "Shape")
    assert '<td class=P title="1 pass">' in row_of(text, "Size")


def test_what_proves_nothing_hides_no_pass(tmp_path: Path) -> None:
    text = page(tmp_path, run(tmp_path, "one", {A: "inconclusive", B: "pass"}))
    assert '<td class=p5 title="1 pass, 1 inconclusive">' in row_of(text, "Shape")


def test_an_operator_that_a_runtime_was_not_run_on_has_an_empty_cell(tmp_path: Path) -> None:
    text = page(tmp_path, run(tmp_path, "one", {A: "pass"}), run(tmp_path, "two", {C: "pass"}))
    assert row_of(text, "Size").endswith('<td title="not run"><td class=P title="1 pass">·')


def test_operators_stand_in_families(tmp_path: Path) -> None:
    ids = dict.fromkeys((A, "maxpool-12/x/float32", "mine-1/x/float32"), "pass")
    results = sample.write(
        tmp_path / "one.jsonl",
        sample.header("one", list(ids)),
        [sample.row(item, operator=item.partition("-")[0].title()) for item in ids],
    )
    text = page(tmp_path, results)
    heads = re.findall(r'<th scope="col">([a-z ]+)<th', text)
    assert ["pooling", "shape", "other"] == heads


def test_who_judges_validity_alone_passes_no_value_on_any_page(tmp_path: Path) -> None:
    rows = [
        sample.row(A),
        sample.row(B, "rejected"),
        sample.row(C, kind="invalid", expect="rejection"),
    ]
    head = sample.header("checker", [A, B, C], describe=VALIDITY)
    text = page(tmp_path, sample.write(tmp_path / "checker.jsonl", head, rows))
    assert 'title="1 pass, 1 fail, 1 accepted"' in text
    assert '<td class=f5 title="1 fail, 1 accepted">' in row_of(text, "Shape")
    assert '<td class=P title="1 pass">' in row_of(text, "Size")  # a refusal, which it did see
    other = (tmp_path / "site" / "operators" / "shape.html").read_text(encoding="utf-8")
    assert 'aria-hidden="true">o</span> accepted' in other
    badge = (tmp_path / "site" / "badges" / "checker" / "shape.json").read_bytes()
    assert "0 pass · 1 fail · 1 accepted" == json.loads(badge)["message"]


def test_a_row_whose_values_stay_in_the_file_is_accepted_with_them(tmp_path: Path) -> None:
    path, details = tmp_path / "checker.jsonl", {"judged": "validity alone"}
    head = sample.header("checker", [A], describe=VALIDITY)
    sample.write(path, head, [sample.row(A, details=details)])
    (read,) = merge(read_sources([path]))
    (row,) = as_seen(read).rows
    assert ("accepted", details) == (row.verdict, row.details)


def test_the_worst_twenty_stand_open_and_others_folded(tmp_path: Path) -> None:
    verdicts = {f"op{number}-1/a/float32": "crashed" for number in range(120)}
    rows = [
        sample.row(item, "crashed", message=f"died of {'x' * number}", operator=f"Op{number}")
        for number, item in enumerate(verdicts)
    ]
    head = sample.header("one", list(verdicts))
    text = page(tmp_path, sample.write(tmp_path / "one.jsonl", head, rows))
    first, further = text.split('<details id="further"')
    assert CAUSES_FIRST == first.count("<details class=cause>")
    assert CAUSES_SHOWN - CAUSES_FIRST == further.count("<details class=cause>")
    assert f"The worst {CAUSES_FIRST} of 120" in text


def test_a_runtime_with_few_causes_has_its_own_among_those_shown(tmp_path: Path) -> None:
    verdicts = {f"op{number}-1/a/float32": "wrong-value" for number in range(120)}
    rows = [
        sample.row(item, verdict, message=item, operator=item.partition("-")[0])
        for item, verdict in verdicts.items()
    ]
    many = sample.write(tmp_path / "many.jsonl", sample.header("many", list(verdicts)), rows)
    text = page(tmp_path, many, run(tmp_path, "few", {A: "rejected"}))
    assert 'data-runtime="few"' in text


def test_a_cause_is_told_in_words_before_its_number(tmp_path: Path) -> None:
    text = page(
        tmp_path, run(tmp_path, "one", {A: "wrong-value"}), run(tmp_path, "two", {A: "pass"})
    )
    summary = text.partition("<details class=cause>")[2].partition("</summary>")[0]
    assert "<b>Shape</b> returns a wrong value" in summary
    assert summary.endswith("<span class=count>1 model</span>")


def test_two_runs_of_a_runtime_are_a_line_over_time(tmp_path: Path) -> None:
    old = run(
        tmp_path, "one", {A: "crashed", C: "wrong-value"}, started="2026-01-01T00:00:00+00:00"
    )
    new = run(tmp_path, "one", {A: "pass", C: "wrong-value"}, started="2026-02-01T00:00:00+00:00")
    text = page(tmp_path, new, earlier=(old,))
    assert "fail or crash 2 → 1 (-1)" in text
    own = (tmp_path / "site" / "runtimes" / "one.html").read_text(encoding="utf-8")
    assert 3 == own.count("<figure>")
    assert f"#vector/{A}" in own.partition('id="changed"')[2]


def test_a_single_run_has_no_history(tmp_path: Path) -> None:
    assert [] == history([run(tmp_path, "one", {A: "pass"})])


def test_points_of_a_line_stand_in_order_and_the_highest_count_on_top(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "one", {A: "pass", B: verdict, C: other})
        for verdict, other in (("crashed", "crashed"), ("pass", "crashed"), ("pass", "pass"))
    ]
    fails, passes, _ = history(runs)
    assert [14, 50, 86] == [point["y"] for point in fails["points"]]
    assert ["2.0", "50.0", "98.0"] == [point["x"] for point in passes["points"]]
    assert ("2 → 0 (-2)", "1 → 3 (+2)") == (fails["words"], passes["words"])


@pytest.mark.slow
def test_the_first_page_of_sixteen_runtimes_is_under_half_a_megabyte(tmp_path: Path) -> None:
    ids = list(sample.identities(227, cases=1, types=("float32",)))
    columns = [
        sample.realistic(
            tmp_path / f"{number}.jsonl", f"runtime {number}", ids, weakness=number % 6
        )
        for number in range(1, 17)
    ]
    text = page(tmp_path, *columns)
    assert 227 * 16 <= text.count("<td ")
    assert len(text.encode()) < 500_000
