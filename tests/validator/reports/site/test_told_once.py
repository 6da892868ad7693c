"""What a site tells once: cases that fail alike, backends that say the same, equal bars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sample_results as sample
from site_results import run

from onnx_conformance.validator.reports.site.writing import write_site

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results


def page_of(folder: Path, columns: list[Results]) -> str:
    write_site(columns, folder / "site")
    return (folder / "site" / "operators" / "shape.html").read_text()


def test_cases_that_fail_for_one_cause_are_one_entry_of_the_page(tmp_path: Path) -> None:
    ids = [f"shape-15/case_{number}/int8" for number in range(3)]
    said = {ids[0]: "no axis 1", ids[1]: "no axis 2", ids[2]: "out of memory"}
    rows = [sample.row(name, "crashed", message=words) for name, words in said.items()]
    page = page_of(tmp_path, [sample.write(tmp_path / "a", sample.header("a", ids), rows)])
    entries = page.split('<details class="case">')[1:]
    assert [True, False] == ["and 1 more case<" in entry for entry in entries]
    assert 'Also <span class="id">case_1</span>' in entries[0]


def test_backends_that_say_the_same_of_a_case_stand_together(tmp_path: Path) -> None:
    columns = [run(tmp_path, name, a="wrong-value") for name in ("one", "two")]
    assert "<p class=answer><b>one, two</b> 1 fail, " in page_of(tmp_path, columns)


def test_backends_with_the_same_counts_share_a_bar(tmp_path: Path) -> None:
    columns = [run(tmp_path, name) for name in ("one", "two")]
    columns.append(run(tmp_path, "three", a="crashed"))
    page = page_of(tmp_path, columns)
    bars = page.partition('id="requirements"')[2].partition("</section>")[0]
    assert ["one, two", "three"] == re.findall("<span class=name>(.*?)</span>", bars)


def test_bars_that_are_the_same_everywhere_are_one_for_all(tmp_path: Path) -> None:
    page = page_of(tmp_path, [run(tmp_path, f"r{number}") for number in range(4)])
    assert "<span class=name>all 4</span>" in page


def test_where_many_ran_those_on_which_nothing_fails_share_a_line_of_a_requirement(
    tmp_path: Path,
) -> None:
    columns = [run(tmp_path, f"r{number}") for number in range(9)]
    columns.append(run(tmp_path, "none", a="unsupported"))
    columns.append(run(tmp_path, "dead", a="crashed"))
    page = page_of(tmp_path, columns)
    bars = page.partition('id="requirements"')[2].partition("</section>")[0]
    first = bars.partition("</ul>")[0]
    assert ["dead", True] == [
        re.findall("<span class=name>(.*?)</span>", first)[0],
        "none</span><span class=when>nothing fails</span>" in first,
    ]


def test_backends_that_come_to_the_same_everywhere_share_a_column_of_the_map(
    tmp_path: Path,
) -> None:
    columns = [run(tmp_path, name) for name in ("one", "two")]
    columns.insert(1, run(tmp_path, "three", a="crashed"))
    page = page_of(tmp_path, columns)
    axis = page.partition('id="map-by-requirement"')[2].partition("</table>")[0]
    heads = re.findall('<th scope="col" class="backend">(.*?)<span class="types"', axis)
    named = [re.findall('<span class="name">(.*?)</span>', head) for head in heads]
    assert [["one", "two"], ["three"]] == named
    lines = re.findall('<tr><th scope="row".*?</tr>', axis)
    assert {2} == {line.count("<td") for line in lines}


def test_a_cause_with_more_vectors_than_are_named_leads_to_their_search(tmp_path: Path) -> None:
    ids = [f"shape-15/case_{number}/int8" for number in range(15)]
    column = sample.simple(tmp_path / "a.jsonl", "a b", dict.fromkeys(ids, "wrong-value"))
    write_site([column], tmp_path / "site")
    page = (tmp_path / "site" / "runtimes" / "a-b.html").read_text()
    search = "../operators/shape.html?verdict=%3Dwrong-value&amp;runtime=a+b#vectors"
    assert f'<a href="{search}">and 12 more</a>' in page
