"""The folder of pages: whole, filtered by address, readable without scripts."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sample_results as sample
from runnable_corpus import runnable_corpus
from site_results import A, B, run

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.errors import ExitCode, UsageError
from onnx_conformance.validator.main import COMMANDS, main
from onnx_conformance.validator.reports.facts.public_pages import public_page
from onnx_conformance.validator.reports.site.drawing import bar_of, dot_plot
from onnx_conformance.validator.reports.site.pages import (
    file_name,
    operator_slug,
    runtime_names,
)
from onnx_conformance.validator.reports.site.writing import MARKER, by_operator, write_site


def test_a_site_has_a_page_for_each_runtime_and_each_operator(tmp_path: Path) -> None:
    count, _ = write_site([run(tmp_path, "one"), run(tmp_path, "two")], tmp_path / "site")
    pages = {str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.*")}
    assert {
        "index.html",
        "site.css",
        "site.js",
        "runtimes/one.html",
        "runtimes/two.html",
        "operators/shape.html",
        "operators/size.html",
        "badges/one.json",
        "badges/one/shape.json",
    } <= pages
    assert count == len(pages - {MARKER})


def test_pages_of_operators_share_the_style_and_the_script(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one")], tmp_path / "site")
    page = (tmp_path / "site" / "operators" / "shape.html").read_text()
    assert "<style>" not in page
    for name in re.findall(r'(?:href|src)="\.\./(\w+\.(?:css|js))"', page):
        assert (tmp_path / "site" / name).is_file()
    assert ["../page.js"] == re.findall(r'<script src="([^"]*)"', page)


def test_the_first_page_has_what_is_wrong_worst_first(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one", a="rejected", b="wrong-value")], tmp_path / "site")
    text = (tmp_path / "site" / "index.html").read_text()
    assert text.index(B) < text.index(A)


def test_a_cause_can_be_filtered_by_all_that_it_is_of(tmp_path: Path) -> None:
    columns = [run(tmp_path, "one", a="wrong-value"), run(tmp_path, "two")]
    write_site(columns, tmp_path / "site")
    text = (tmp_path / "site" / "index.html").read_text()
    for fact in ('runtime="one"', 'verdict="wrong-value"', 'operator=" shape "'):
        assert f"data-{fact}" in text.lower()


def test_a_cause_of_several_runtimes_is_one_line_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "2").mkdir()
    columns = [
        run(tmp_path, "one", a="wrong-value"),
        sample.simple(tmp_path / "2" / "two.jsonl", "two", {A: "wrong-value", B: "crashed"}),
    ]
    write_site(columns, tmp_path / "site")
    text = (tmp_path / "site" / "index.html").read_text()
    assert 2 == text.count("<details class=cause>")
    assert "<span class=runtime>one, two</span>" in text
    assert 'data-runtime="one\ntwo"' in text
    assert "On one (1), two (1)" in text
    assert "<span class=runtime>two</span>" in text


def test_day_machine_and_versions_stand_at_the_top_of_every_page(tmp_path: Path) -> None:
    machine = "Linux 6.1.0, x86_64"
    header = sample.header("one", [A], describe={"name": "one", "version": "0.9"})
    header = replace(header, extra={**header.extra, "platform": machine})
    results = sample.write(tmp_path / "one.jsonl", header, [sample.row(A, "crashed")])
    old = run(tmp_path, "old", a="crashed")  # a file from before has no machine
    write_site([results, old], tmp_path / "site")
    for page in ("index.html", "operators/shape.html"):
        top = (tmp_path / "site" / page).read_text().partition("<main>")[0]
        assert f"Run {header.started[:10]}, on {machine}. one 0.9, old" in top
    top = (tmp_path / "site" / "runtimes" / "one.html").read_text().partition("<main>")[0]
    assert machine in top


def test_a_cause_leads_to_the_vector_on_the_page_of_its_operator(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one", a="crashed")], tmp_path / "site")
    text = (tmp_path / "site" / "runtimes" / "one.html").read_text()
    assert f'href="../operators/shape.html#vector/{A}"' in text


def test_the_page_of_an_operator_has_its_requirements(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one", a="crashed")], tmp_path / "site")
    text = (tmp_path / "site" / "operators" / "shape.html").read_text()
    assert "<b>clamp-start</b> A start below -r selects from the first axis." in text


def test_the_map_of_an_operator_has_three_axes_by_requirement_first(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one", a="crashed")], tmp_path / "site")
    text = (tmp_path / "site" / "operators" / "shape.html").read_text()
    axes = re.findall(r'<div class="axis( default)?" id="map-by-(\w+)">', text)
    assert [(" default", "requirement"), ("", "form"), ("", "type")] == axes
    assert all(f'<a href="#map-by-{name}">' in text for _, name in axes)
    line = text.partition('<tr><th scope="row">clamp-start</th>')[2].partition("</tr>")[0]
    assert "<i class=C>!</i>" in line
    assert f'<a href="#vector/{A}">1' in line


def test_what_changed_since_an_earlier_run_is_told(tmp_path: Path) -> None:
    before = run(tmp_path, "one", describe={"name": "one", "version": "0.9"})
    (tmp_path / "later").mkdir()
    after = run(tmp_path / "later", "one", a="crashed")
    write_site([after], tmp_path / "site", [before])
    text = (tmp_path / "site" / "index.html").read_text()
    assert "1 broken, 1 the same" in text
    assert "0.9" in (tmp_path / "site" / "runtimes" / "one.html").read_text()


def test_earlier_runs_may_be_named_one_by_one(tmp_path: Path) -> None:
    for number in ("0.8", "0.9", "1.0"):
        run(tmp_path, number, describe={"name": "one", "version": number})
    files = {number: str(tmp_path / f"{number}.jsonl") for number in ("0.8", "0.9", "1.0")}
    for path in files.values():
        text = Path(path).read_text()
        Path(path).write_text(re.sub(r'"backend": ?"[^"]*"', '"backend":"one"', text, count=1))
    words = ["site", files["1.0"], "--since", files["0.8"], "--since", files["0.9"]]
    words += ["--output", str(tmp_path / "site")]
    assert 0 == dispatch("onnx-validate", "", COMMANDS, words)
    page = (tmp_path / "site" / "runtimes" / "one.html").read_text()
    assert all(number in page for number in files)


def test_an_earlier_run_of_another_runtime_is_said_to_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "one")
    run(tmp_path, "two")
    words = ["site", str(tmp_path / "one.jsonl"), "--since", str(tmp_path / "two.jsonl")]
    words += ["--output", str(tmp_path / "site")]
    assert 0 == dispatch("onnx-validate", "", COMMANDS, words)
    said = "--since: no results are of 'two', only of one; it is left out"
    assert said in capsys.readouterr().err


def test_what_changed_for_the_worse_is_told_by_cause(tmp_path: Path) -> None:
    ids = [f"shape-15/clip_{number}/float32" for number in range(3)]
    old = sample.simple(tmp_path / "old.jsonl", "one", dict.fromkeys(ids, "pass"))
    new = sample.simple(tmp_path / "new.jsonl", "one", dict.fromkeys(ids, "crashed"))
    write_site([new], tmp_path / "site", [old])
    changed = (tmp_path / "site" / "index.html").read_text().partition('id="changed"')[2]
    assert 1 == changed.partition("</section>")[0].count("<b>pass → crashed</b>")
    assert '<td class="n">3</td>' in changed


@pytest.mark.parametrize(
    ("verdicts", "code", "counted"),
    [
        (("unsupported", "wrong-value"), 1, "0 broken, 1 newly-wrong"),
        (("pass", "crashed"), 1, "1 broken, 0 newly-wrong"),
        (("unsupported", "pass"), 0, "0 broken, 0 newly-wrong, 0 fixed, 1 newly-supported"),
        (("crashed", "rejected"), 0, "0 broken, 0 newly-wrong"),
    ],
)
def test_what_is_worse_than_before_is_an_exit_code(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    verdicts: tuple[str, str],
    code: int,
    counted: str,
) -> None:
    files = [str(tmp_path / name) for name in ("new.jsonl", "old.jsonl")]
    for name, verdict in zip(("old", "new"), verdicts, strict=True):
        sample.simple(tmp_path / f"{name}.jsonl", "one", {A: verdict, B: "pass"})
    words = ["site", files[0], "--since", files[1], "--output", str(tmp_path / "site")]
    assert code == dispatch("onnx-validate", "", COMMANDS, words)
    assert f"one: {counted}" in capsys.readouterr().out
    assert (tmp_path / "site" / "index.html").is_file()
    assert code == dispatch("onnx-validate", "", COMMANDS, ["compare", *reversed(files)])


def test_what_is_fixed_is_told_by_how_it_failed(tmp_path: Path) -> None:
    old = sample.simple(tmp_path / "old.jsonl", "one", {A: "crashed", B: "pass"})
    new = sample.simple(tmp_path / "new.jsonl", "one", {A: "pass", B: "pass"})
    write_site([new], tmp_path / "site", [old])
    changed = (tmp_path / "site" / "index.html").read_text().partition('id="changed"')[2]
    told = changed.partition("<details><summary>Fixed: 1</summary>")[2].partition("</details>")[0]
    assert "<b>crashed → pass</b>: crashed happened" in told


def test_more_runtimes_than_a_screen_is_wide_stand_in_tables_below_each_other(
    tmp_path: Path,
) -> None:
    names = [f"a-runtime-with-a-name-{number}" for number in range(10)]
    write_site([run(tmp_path, name) for name in names], tmp_path / "site")
    page = (tmp_path / "site" / "operators" / "shape.html").read_text()
    by_requirement = page.partition('id="map-by-requirement"')[2].partition('class="axis"')[0]
    tables = by_requirement.split('<table class="map">')[1:]
    assert names == [name for table in tables for name in names if name in table]
    assert all(table.partition("</thead>")[0].count('class="backend"') <= 6 for table in tables)


def test_a_case_does_not_say_a_rejection_twice(tmp_path: Path) -> None:
    said = "rejected at load: no such attribute"
    row = sample.row(A, "rejected", phase="load", message=said, got=said, expected="outputs")
    column = sample.write(tmp_path / "one.jsonl", sample.header("one", [A]), [row])
    write_site([column], tmp_path / "site")
    page = (tmp_path / "site" / "operators" / "shape.html").read_text()
    case = page.partition('<details class="case">')[2].partition("</details>")[0]
    assert 1 == case.count("no such attribute")


def test_an_earlier_site_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one")], tmp_path / "site")
    (tmp_path / "more").mkdir()
    write_site([run(tmp_path / "more", "two")], tmp_path / "site")
    assert not (tmp_path / "site" / "runtimes" / "one.html").exists()
    assert (tmp_path / "site" / "runtimes" / "two.html").exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError) as caught:
        write_site([run(tmp_path, "one")], tmp_path / "mine")
    assert "holds files that are no site" in str(caught.value)
    assert ["thesis.txt"] == [path.name for path in (tmp_path / "mine").iterdir()]


def test_nothing_of_a_site_that_failed_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("onnx_conformance.validator.reports.site.writing.html.render", fails)
    results = run(tmp_path, "one")
    before = set(tmp_path.iterdir())
    with pytest.raises(Exception, match="No space left on device"):
        write_site([results], tmp_path / "site")
    assert before == set(tmp_path.iterdir())


def test_text_of_a_runtime_is_never_markup(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\x1b[2J"
    row = sample.row(A, "rejected", message=hostile)
    results = sample.write(tmp_path / "a.jsonl", sample.header(hostile, [A]), [row])
    write_site([results], tmp_path / "site")
    for path in (tmp_path / "site").rglob("*.html"):
        assert "<script>alert" not in path.read_text(), path


@pytest.mark.parametrize(
    ("text", "name"),
    [("../../etc/passwd", "etc-passwd"), ("tract (freeze)", "tract-freeze"), ("…", "unnamed")],
)
def test_a_file_name_leads_nowhere_else(text: str, name: str) -> None:
    assert name == file_name(text)


def test_runtimes_of_one_name_have_pages_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    both = [run(tmp_path, "a b"), run(tmp_path / "more", "a-b")]
    assert ["a-b", "a-b-2"] == runtime_names(both)


def test_an_operator_of_another_domain_has_its_own_page() -> None:
    assert "ai.onnx.ml.scaler" == operator_slug("ai.onnx.ml.scaler-1/example/float32")


def test_every_vector_is_on_one_operators_page(tmp_path: Path) -> None:
    parts = dict(by_operator([run(tmp_path, "one")]))
    assert {"shape": (A,), "size": (B,)} == {
        slug: columns[0].header.planned for slug, columns in parts.items()
    }


def test_a_badge_counts_one_operator(tmp_path: Path) -> None:
    write_site([run(tmp_path, "one", a="crashed")], tmp_path / "site")
    badge = json.loads((tmp_path / "site" / "badges" / "one" / "size.json").read_text())
    assert "1 pass" == badge["message"].split(" · ")[0]


def test_the_segments_of_a_bar_make_up_the_whole() -> None:
    bar = bar_of({"pass": 1, "fail": 3})
    assert [1, 3] == list(bar.counts.values())
    assert "1 pass, 3 fail" == bar.words


def plot_of(**used: float) -> dict[str, Any]:
    return dot_plot(used, dict.fromkeys(used, ""))


def test_what_is_beyond_the_limit_stands_first_and_is_marked() -> None:
    plot = plot_of(Add=0.5, Exp=12.0)
    found = [(mark["name"], mark["beyond"]) for mark in plot["marks"]]
    assert [("Exp", True), ("Add", False)] == found
    first, second = (float(mark["x"]) for mark in plot["marks"])
    assert first > float(plot["limit"]) > second


def test_a_dot_stands_at_a_percent_so_that_a_phone_shows_text_as_large() -> None:
    plot = plot_of(Add=1e-9, Exp=1e9, Sin=1.0)
    assert ["100.0", "60.0", "0.0"] == [mark["x"] for mark in plot["marks"]]
    assert [("0.0", "0.001"), ("60.0", "1"), ("100.0", "100")] == [
        plot["ticks"][place] for place in (0, 3, -1)
    ]


def test_the_command_writes_the_site_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    sample.write(tmp_path / "a.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    words = ["onnx-validate", "site", "a.jsonl", "--output", "site"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", words)
    assert ExitCode.INCOMPLETE == main()
    printed = capfd.readouterr()
    assert "begin with index.html" in printed.out
    assert "1 planned vector without a verdict" in printed.err
    assert "<b>Incomplete.</b>" in Path("site/index.html").read_text()


def test_an_operator_of_another_domain_leads_to_its_public_page(tmp_path: Path) -> None:
    vector = "ai.onnx.ml.labelencoder-4/one/int64"
    row = sample.row(vector, "wrong-value", operator="LabelEncoder", covers=["a-rule"])
    words = {"text": "Keys are looked up.", "document": "ai.onnx.ml.LabelEncoder-4"}
    known = {"ai.onnx.ml.LabelEncoder": {"a-rule": words}}
    header = replace(sample.header("one", [vector]), requirements=known)
    column = sample.write(tmp_path / "one.jsonl", header, [row])
    write_site([column], tmp_path / "site")
    page = (tmp_path / "site" / "operators" / "ai.onnx.ml.labelencoder.html").read_text()
    assert "/onnx_aionnxml_LabelEncoder.html" in page
    assert "Keys are looked up." in page


def test_an_operator_leads_to_its_public_page() -> None:
    known = {"a": {"document": "Reshape-25"}, "b": {"document": "IR.md"}}
    expected = "https://onnx.ai/onnx/operators/onnx__Reshape.html"
    assert expected == public_page("Reshape", known)


@pytest.mark.parametrize(
    ("operator", "version", "address"),
    [
        ("Add", 14, "onnx__Add.html#l-onnx-op-add-14"),
        ("ai.onnx.ml.Scaler", 1, "onnx_aionnxml_Scaler.html#l-onnx-opai-onnx-ml-scaler-1"),
        ("ai.onnx.ml.Scaler", 0, "onnx_aionnxml_Scaler.html"),
        ("../x", 1, ""),
    ],
)
def test_an_operator_version_leads_to_its_part_of_the_page(
    operator: str, version: int, address: str
) -> None:
    expected = f"https://onnx.ai/onnx/operators/{address}" if address else ""
    assert expected == public_page(operator, {}, version)


def test_what_is_no_operator_leads_to_the_page_that_it_follows_from() -> None:
    known = {"a": {"document": "IR.md"}, "b": {"document": "onnx.proto"}}
    assert "https://onnx.ai/onnx/repo-docs/IR.html" == public_page("IR", known)


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Path]:
    """A corpus, and results of it in which one vector fails."""
    root = runnable_corpus(tmp_path / "vectors", ("fine", "wrong"))
    corpus = {"version": "test", "digest": open_corpus(root).digest}
    verdicts = {"shape-15/fine/float32": "pass", WRONG: "wrong-value"}
    sample.simple(tmp_path / "r.jsonl", "onnxruntime", verdicts, corpus=corpus)
    sample.simple(tmp_path / "m.jsonl", "mine", verdicts, corpus=corpus)
    return root, tmp_path / "r.jsonl"


WRONG = "shape-15/wrong/float32"


def test_the_model_of_what_fails_and_its_reproducer_lie_beside_the_pages(
    judged: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, results = judged
    words = [
        "site",
        results,
        tmp_path / "m.jsonl",
        "--vectors",
        root,
        "--output",
        tmp_path / "site",
    ]
    assert 0 == dispatch("onnx-validate", "", COMMANDS, list(map(str, words)))
    folder = tmp_path / "site" / "vectors" / "shape-15"
    place = "test_shape_15_wrong_float32"
    assert {place: {"model.onnx", "vector.zip", "repro-onnxruntime.py"}} == {
        path.name: {item.name for item in path.iterdir()} for path in folder.iterdir()
    }
    model = (folder / place / "model.onnx").read_bytes()
    assert (root / "valid" / "shape-15" / place / "model.onnx").read_bytes() == model
    with zipfile.ZipFile(folder / place / "vector.zip") as archive:
        beside = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert load(open_corpus(root).entries["shape-15/wrong/float32"]).files == beside
    script = (folder / place / "repro-onnxruntime.py").read_text()
    assert "Vector shape-15/wrong/float32 of onnx-conformance" in script
    files = sum(1 for path in (tmp_path / "site").rglob("*") if path.is_file()) - 1
    assert f"{files} files; begin with index.html" in capsys.readouterr().out


def test_vectors_of_another_corpus_are_refused(
    judged: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = runnable_corpus(tmp_path / "other", ("fine",))
    words = ["site", judged[1], "--vectors", other, "--output", tmp_path / "site"]
    assert 3 == dispatch("onnx-validate", "", COMMANDS, list(map(str, words)))
    assert "another digest than that of" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()
