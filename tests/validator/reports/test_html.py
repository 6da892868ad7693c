from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import sample_results as sample
from parsed_pages import Page

from onnx_conformance.core.corpus.requirements import words_of
from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.reports import html
from onnx_conformance.validator.reports.facts import overview
from onnx_conformance.validator.reports.facts.failing_cases import failing_cases
from onnx_conformance.validator.reports.facts.tally import OperatorVersion
from onnx_conformance.validator.reports.page import cases
from onnx_conformance.validator.reports.page.signs import GLYPHS
from onnx_conformance.validator.reports.payload import input_lines, safe_link, value_text

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\ud800"


def results_of(folder: Path, name: str = "a", **facts: Any) -> Results:  # noqa: ANN401  of a row
    verdict = facts.pop("verdict", "wrong-value")
    row = sample.row(A, verdict, **facts)
    return sample.write(
        folder / f"{len(name)}{verdict}.jsonl", sample.header(name, [A, B]), [row, sample.row(B)]
    )


def test_the_page_is_well_formed(tmp_path: Path) -> None:
    page = Page(html.render([results_of(tmp_path), results_of(tmp_path, "bb")]))
    assert ([], []) == (page.open, page.unbalanced)


def test_nothing_is_fetched_from_anywhere(tmp_path: Path) -> None:
    page = Page(html.render([results_of(tmp_path)]))
    assert not [tag for tag, found in page.tags if "src" in found or tag in ("link", "iframe")]
    assert "url(" not in html.render([results_of(tmp_path)])


def test_the_policy_allows_our_script_alone(tmp_path: Path) -> None:
    page = Page(html.render([results_of(tmp_path)]))
    policy = next(found["content"] for tag, found in page.tags if "http-equiv" in found)
    digest = base64.b64encode(hashlib.sha256(page.scripts[""].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert "default-src 'none'" in str(policy)


def test_hostile_text_is_never_markup(tmp_path: Path) -> None:
    details = {
        "model": HOSTILE,
        "inputs": [[HOSTILE]],
        "difference": HOSTILE,
        HOSTILE: HOSTILE,
    }
    described = {"name": HOSTILE, "version": HOSTILE, "adapts": [{"adaptation": HOSTILE}]}
    head = sample.header(
        HOSTILE,
        [A],
        describe=described,
        corpus={"version": HOSTILE, "digest": HOSTILE},
        requirements={"Shape": {"clamp-start": {"text": HOSTILE, "url": "javascript:x"}}},
        command=HOSTILE,
        started=HOSTILE,
    )
    row = sample.row(
        A,
        "rejected",
        message=HOSTILE,
        expected=HOSTILE,
        got=HOSTILE,
        details=details,
        stderr=HOSTILE,
    )
    marks = {HOSTILE: {A: Mark("expected", HOSTILE, HOSTILE, "javascript:alert(1)")}}
    source = html.render([sample.write(tmp_path / "a.jsonl", head, [row])], marks)
    page = Page(source)
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert {"", "index", "chunk-0"} == page.scripts.keys()
    assert not [found for _, found in page.tags if any(key.startswith("on") for key in found)]
    assert not [found for _, found in page.tags if "javascript" in str(found.get("href"))]
    assert not {"\u202e", "\ud800"} & set(source)
    unpacked = json.dumps([page.unpacked(name) for name in ("index", "chunk-0")])
    assert not {"\\u202e", "\\ud800"} & set(re.findall(r"(?<!\\)\\u[0-9a-f]{4}", unpacked))


def test_without_scripts_the_counts_are_there(tmp_path: Path) -> None:
    text = "|".join(Page(html.render([results_of(tmp_path)])).text)
    assert "1 wrong-value" in text


def test_without_scripts_a_failure_is_told_in_full(tmp_path: Path) -> None:
    facts = {
        "message": "3 came",
        "expected": [{"name": "y", "type": "int64", "shape": [], "values": [4]}],
        "got": [{"name": "y", "type": "int64", "shape": [], "values": [3]}],
        "details": {"model": sample.MODEL, "inputs": [["x: int8 [0]"]], "difference": "y: 4, 3"},
    }
    text = "".join(Page(html.render([results_of(tmp_path, **facts)])).text)
    for word in (
        "3 came",
        "y: int64 [] = 4",
        "y: int64 [] = 3",
        "y: 4, 3",
        "x: int8 [0]",
        "Shape <start: int = -10>",
        "A start below -r selects from the first axis.",
        f"onnx-validate run --backend a '{A}'",
    ):
        assert word in text


def test_without_scripts_the_map_has_a_tile_for_each_type(tmp_path: Path) -> None:
    ids = {"shape-15/a/float32": "pass", "shape-15/a/int8": "rejected", "size-1/a/int8": "crashed"}
    source = html.render([sample.simple(tmp_path / "a.jsonl", "a", ids)])
    cells = re.findall(r'<td><span role=img title="([^"]*)">(.*?)</span>', source)
    assert cells == [
        (
            "1 pass, 1 fail",
            f"<i class=P>·</i><i class=F>{GLYPHS['fail'][0]}</i>",
        ),
        ("1 crashed", "<i class=n></i><i class=C>!</i>"),
    ]


def test_the_style_knows_every_width_that_a_map_can_need() -> None:
    style = (html.TEMPLATES / "page.css").read_text(encoding="utf-8")
    widths = {int(number) for number in re.findall(r"\.w(\d+)\{", style)}
    most = len(overview.ELEMENT_TYPES) + 1
    assert set(range(1, most + 1)) <= widths


def test_an_incomplete_run_is_announced_on_top(tmp_path: Path) -> None:
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    page = Page(html.render([results]))
    assert [found for _, found in page.tags if found.get("role") == "alert"]
    assert "1 planned vector without a verdict" in "".join(page.text)


def test_what_is_cut_is_counted(tmp_path: Path, monkeypatch: Any) -> None:  # noqa: ANN401  pytest's
    monkeypatch.setattr(cases, "CASES_SHOWN", 2)
    ids = [f"shape-15/case_{number}/int8" for number in range(5)]
    rows = [sample.row(name, "crashed", message="x" * (at + 1)) for at, name in enumerate(ids)]
    column = sample.write(tmp_path / "a.jsonl", sample.header("a", ids), rows)
    text = "".join(Page(html.render([column])).text)
    assert "3 more failing cases are not written out here" in text


def test_a_page_of_passes_says_that_nothing_failed(tmp_path: Path) -> None:
    text = "".join(Page(html.render([sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})])).text)
    assert "No vector failed or crashed." in text


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    results = sample.realistic(tmp_path / "a.jsonl", "a", list(sample.identities())[:100])
    assert html.render([results]) == html.render([results])


def test_the_index_has_the_verdict_of_every_vector(tmp_path: Path) -> None:
    one = sample.simple(tmp_path / "1.jsonl", "one", {A: "pass", B: "crashed"})
    two = sample.write(tmp_path / "2.jsonl", sample.header("two", [A]), [])
    index = Page(html.render([one, two])).unpacked("index")
    assert [B, A] == index["ids"]
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

    def verdict(backend: int, vector: int) -> str:
        character = index["verdicts"][backend][vector]
        return " " if character == " " else index["codes"][alphabet.index(character)]["verdict"]

    assert [["crashed", "pass"], [" ", "no-verdict"]] == [
        [verdict(backend, vector) for vector in (0, 1)] for backend in (0, 1)
    ]


def test_the_details_of_a_vector_are_in_its_version_s_chunk(tmp_path: Path) -> None:
    facts = {"message": "it broke", "details": {"model": "m", "max_ulp": 3}, "stderr": "oops"}
    page = Page(html.render([results_of(tmp_path, **facts)]))
    chunk = page.unpacked("chunk-0")
    vector = chunk["vectors"][A]
    assert "m" == vector["model"]
    assert chunk["answers"][vector["cells"]["0"]] == {
        "message": "it broke",
        "stderr": "oops",
        "facts": {"max_ulp": "3"},
    }


def test_an_answer_stands_once_whoever_gave_it(tmp_path: Path) -> None:
    columns = [
        sample.write(
            tmp_path / f"{name}.jsonl",
            sample.header(name, [A, B]),
            [sample.row(item, "rejected", message=said) for item in (A, B)],
        )
        for name, said in (("one", "no"), ("two", "no"), ("three", "never"))
    ]
    page = Page(html.render(columns))
    chunks = [page.unpacked(f"chunk-{number}") for number in range(len(page.scripts) - 2)]
    assert [["no", "never"]] * len(chunks) == [
        [answer["message"] for answer in chunk["answers"]] for chunk in chunks
    ]
    assert [{"0": 0, "1": 0, "2": 1}] * 2 == [
        vector["cells"] for chunk in chunks for vector in chunk["vectors"].values()
    ]


def test_a_tile_shows_the_worst_and_whether_all_share_it(tmp_path: Path) -> None:
    ids = {"shape-15/a/int8": "pass", "shape-15/b/int8": "unsupported", "size-1/a/int8": "rejected"}
    tiles = overview.overview([sample.simple(tmp_path / "a.jsonl", "a", ids)]).tiles
    shape = tiles[0, OperatorVersion("Shape", 15), "int8"]
    size = tiles[0, OperatorVersion("Size", 1), "int8"]
    assert ("unsupported", False) == (shape.group.name, shape.whole)
    assert ("fail", True) == (size.group.name, size.whole)


def test_a_planned_vector_without_a_verdict_has_a_tile(tmp_path: Path) -> None:
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [A]), [])
    (tile,) = overview.overview([results]).tiles.values()
    assert "unjudged" == tile.group.name


def test_failures_of_all_versions_of_a_case_are_one_entry(tmp_path: Path) -> None:
    ids = dict.fromkeys(("shape-13/a/int8", "shape-1/a/int8", "shape-15/b/int8"), "rejected")
    cases = failing_cases([sample.simple(tmp_path / "a.jsonl", "a", ids)])
    assert [("a", [1, 13]), ("b", [15])] == [
        (case.case, [version.since_version for version in case.versions]) for case in cases
    ]


def test_an_entry_counts_what_the_baseline_knows(tmp_path: Path) -> None:
    ids = dict.fromkeys(("shape-13/a/int8", "shape-1/a/int8"), "rejected")
    marks = {"a": {"shape-13/a/int8": Mark("expected"), "shape-1/a/int8": Mark("unexpected")}}
    (case,) = failing_cases([sample.simple(tmp_path / "a.jsonl", "a", ids)], marks)
    assert (1, 2) == (case.failures[0].known, len(case.failures[0].rows))


def test_words_of_a_requirement_are_found_whatever_the_operator_s_case() -> None:
    known = {"reshape": {"one": {"text": "words"}}}
    assert "words" == words_of(known, "Reshape", "one")["text"]
    assert {} == words_of(known, "Reshape", "two")


def test_words_of_a_requirement_are_found_without_the_operator_s_domain() -> None:
    known = {"Coder": {}, "ai.onnx.ml.LabelEncoder": {"one": {"text": "words"}}}
    assert "words" == words_of(known, "LabelEncoder", "one")["text"]
    assert {} == words_of(known, "Encoder", "one")


def test_only_web_addresses_become_links() -> None:
    assert "https://onnx.ai" == safe_link("https://onnx.ai")
    assert ["", "", ""] == [safe_link(url) for url in ("javascript:x", "data:x", None)]


def test_values_are_lines_of_text() -> None:
    tensor = {"name": "y", "type": "float32", "shape": [2], "values": [1.5, "nan"]}
    assert "y: float32 [2] = 1.5, nan" == value_text([tensor])
    assert "y: float32 [0], empty" == value_text({**tensor, "shape": [0], "values": []})
    assert value_text({**tensor, "elements": 2000}).endswith(", … 2,000 elements")
    assert "a rejection at load" == value_text("a rejection at load")


def test_inputs_of_several_data_sets_are_told_apart() -> None:
    assert ["a", "b"] == input_lines([["a", "b"]])
    assert ["data set 0, a", "data set 1, b"] == input_lines([["a"], ["b"]])
    assert ["a"] == input_lines(["a"])


def test_a_red_gate_names_its_vectors(tmp_path: Path) -> None:
    marks = {
        "a": {A: Mark("unexpected", "is not listed"), B: Mark("stale", "b.yaml:3: passes now")}
    }
    text = "".join(Page(html.render([results_of(tmp_path)], marks)).text)
    assert "a: red. 1 unexpected, 1 passing, but listed." in text
    assert f"unexpected {A} is not listed" in text
    assert f"stale {B} b.yaml:3: passes now" in text


def test_a_green_gate_says_what_is_known(tmp_path: Path) -> None:
    marks = {"a": {A: Mark("expected", "no parser", "b.yaml:3")}}
    text = "".join(Page(html.render([results_of(tmp_path)], marks)).text)
    assert "a: green. 1 failing as listed." in text


def test_without_a_baseline_there_is_no_gate(tmp_path: Path) -> None:
    assert "Gate" not in "".join(Page(html.render([results_of(tmp_path)])).text)


def test_one_reason_for_many_vectors_is_told_once(tmp_path: Path) -> None:
    reason = "b.yaml:3: '*' is listed as crashed, but got another verdict"
    marks = {"a": dict.fromkeys((A, B), Mark("unexpected", reason, "b.yaml:3"))}
    gate = html.render([results_of(tmp_path)], marks).split('<section id="backends"')[0]
    assert 1 == gate.count("listed as crashed")
    assert (1, 1) == (gate.count(f">{A}<"), gate.count(f">{B}<"))
