"""The page in a real Chromium; where ONNX_CONFORMANCE_CHROMIUM is set nothing is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import browser
import pytest
import sample_results as sample
from places import SUPPORT
from runnable_corpus import runnable_corpus

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.commands.shared.downloads import Downloads
from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.reports import html
from onnx_conformance.validator.reports.site.writing import write_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = browser.needed("THE PAGE WAS NOT TESTED")

FAILING = "shape-15/clip_start/float32"
PASSING = "shape-15/clip_end/float32"
INVALID = "shape-15/too_early/int8"
HOSTILE = "</script><img src=x onerror=\"document.body.dataset.owned='yes'\">&<b>bold</b>"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    opened = browser.Browser(str(browser.find_chromium()), tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    failing = sample.row(
        FAILING,
        "wrong-value",
        message=HOSTILE,
        expected=[{"name": "shape", "type": "int64", "shape": [1], "values": [3]}],
        got=[{"name": HOSTILE, "type": "int64", "shape": [1], "values": [4]}],
        stderr=HOSTILE,
        details={
            "model": sample.MODEL + HOSTILE,
            "inputs": [["data: float32 [3], 1, 2, 3"]],
            "difference": "shape[0]: expected 3, got 4",
            "differing": 1,
        },
    )
    rejected = sample.row(
        INVALID,
        phase="load",
        kind="invalid",
        expect="rejection",
        control=PASSING,
        got="rejected at load: no such attribute",
    )
    ids = [FAILING, PASSING, INVALID, "size-13/scalar/int8"]
    one = sample.write(
        folder / "one.jsonl",
        sample.header("one", ids),
        [failing, sample.row(PASSING), rejected, sample.row("size-13/scalar/int8", "crashed")],
    )
    two = sample.simple(folder / "two.jsonl", f"two {HOSTILE}", {FAILING: "pass", PASSING: "pass"})
    path = folder / "page.html"
    marks = {"one": {FAILING: Mark("expected", HOSTILE, "b.yaml:3", "javascript:alert(1)")}}
    path.write_text(html.render([one, two], marks), encoding="utf-8")
    return path


@pytest.fixture
def tab(chromium: browser.Browser, page: Path) -> browser.Browser:
    chromium.problems.clear()
    chromium.requests.clear()
    chromium.emulate(1400, 1000)
    chromium.open(page)
    return chromium


def text(tab: browser.Browser, selector: str) -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def go(tab: browser.Browser, fragment: str) -> None:
    tab.evaluate(f"location.hash = {fragment!r}")
    tab.wait_for("document.querySelector('dialog').open")


def focus_map(tab: browser.Browser) -> None:
    tab.evaluate("document.querySelector('#maptable td[tabindex=\"0\"]').focus()")


def test_the_page_asks_nobody_for_anything(tab: browser.Browser, page: Path) -> None:
    go(tab, f"vector/{FAILING}")
    assert {page.as_uri()} == {url for url in tab.requests if not url.startswith("about:")}


def test_the_page_makes_no_complaint(tab: browser.Browser) -> None:
    go(tab, f"vector/{FAILING}")
    assert [] == tab.problems


def test_a_vector_shows_all_that_is_known_of_it(tab: browser.Browser) -> None:
    go(tab, f"vector/{FAILING}")
    shown = text(tab, "dialog")
    for word in (
        FAILING,
        "A start below -r selects from the first axis.",
        "Shape-15 · summary",
        "data: float32 [3], 1, 2, 3",
        "shape: int64 [1] = 3",
        "shape[0]: expected 3, got 4",
        "Shape <start: int = -10>",
        "wrong-value",
        f"onnx-validate run --backend one '{FAILING}'",
        "b.yaml:3",
        "pass: two",
    ):
        assert word in shown


def test_the_elements_that_differ_are_marked(tab: browser.Browser) -> None:
    go(tab, f"vector/{FAILING}")
    marked = "Array.from(document.querySelectorAll('dialog mark'), (item) => item.innerText).join()"
    assert "4" == tab.evaluate(marked)


def test_text_of_a_runtime_stays_text(tab: browser.Browser) -> None:
    go(tab, f"vector/{FAILING}")
    assert HOSTILE in text(tab, "dialog .message")
    assert tab.evaluate("document.body.dataset.owned") is None
    assert 0 == tab.evaluate("document.querySelectorAll('img').length")
    assert 0 == tab.evaluate("document.querySelectorAll('a[href^=\"javascript\"]').length")


def test_a_script_that_got_in_would_not_run(tab: browser.Browser) -> None:
    tab.evaluate(
        "document.body.append(document.createRange().createContextualFragment("
        "'<script>document.body.dataset.owned = \"yes\"</script>'))"
    )
    assert tab.evaluate("document.body.dataset.owned") is None
    assert any("Content Security Policy" in problem for problem in tab.problems)


def test_an_address_leads_straight_to_a_vector(chromium: browser.Browser, page: Path) -> None:
    chromium.open(page, f"vector/{PASSING}")
    assert PASSING == text(chromium, "#dialog-title")


@pytest.mark.parametrize(
    ("sought", "told"),
    [
        ("no/such/vector", "The results on this page are of "),
        (f"{PASSING.partition('/')[0]}/other", ", and none of this name: another corpus may"),
    ],
)
def test_an_address_of_nothing_here_says_so(
    chromium: browser.Browser, page: Path, sought: str, told: str
) -> None:
    chromium.open(page, f"vector/{sought}")
    assert text(chromium, "#dialog-title") == "not on this page"
    assert sought in text(chromium, "#dialog")
    assert told in text(chromium, "#dialog")


def test_a_rejection_of_an_invalid_model_shows_where_and_why(tab: browser.Browser) -> None:
    go(tab, f"vector/{INVALID}")
    shown = text(tab, "dialog")
    assert "pass, rejected at load" in shown
    assert "no such attribute" in shown
    assert PASSING in shown


@pytest.mark.parametrize("kind", ["P", "n"])
def test_equal_neighbours_and_gaps_are_as_wide_as_their_tiles(
    tab: browser.Browser, kind: str
) -> None:
    width = (
        "(() => { const run = document.createElement('i');"
        f" run.className = '{kind} w3';"
        " document.querySelector('#maptable [role=img]').append(run);"
        " return run.getBoundingClientRect().width; })()"
    )
    tile = "parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--tile'))"
    assert 3 * tab.evaluate(tile) == tab.evaluate(width)


def test_a_click_on_a_tile_opens_its_vectors(tab: browser.Browser) -> None:
    box = tab.evaluate(
        "(() => { const strip = document.querySelector('#maptable [role=img]');"
        " strip.scrollIntoView({block: 'center'});"
        " const r = strip.getBoundingClientRect(); return [r.left + 4, r.top + 8]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        facts = {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        tab.call("Input.dispatchMouseEvent", **facts)
    tab.wait_for("document.querySelector('dialog').open")
    assert "Shape-15 · float32" == text(tab, "#dialog-title")
    assert "clip_start/float32" in text(tab, "dialog .list")


def test_arrow_keys_move_over_tiles_and_enter_opens(tab: browser.Browser) -> None:
    focus_map(tab)
    tab.press("ArrowRight")
    assert text(tab, "#readout").startswith("Shape-15 · int8 · one: 1 pass of 1")
    tab.press("ArrowDown")
    assert text(tab, "#readout").startswith("Size-13 · int8 · one: 1 crashed of 1")
    tab.press("Enter")
    tab.wait_for("document.querySelector('dialog').open")
    assert "Size-13 · int8" == text(tab, "#dialog-title")


def test_control_and_arrow_go_to_the_next_backend(tab: browser.Browser) -> None:
    focus_map(tab)
    tab.press("ArrowRight", control=True)
    assert "two" in text(tab, "#readout")
    assert "2 pass of 2" in text(tab, "#readout")


def test_opening_a_vector_moves_the_focus_to_its_title(tab: browser.Browser) -> None:
    go(tab, f"vector/{FAILING}")
    assert "dialog-title" == tab.evaluate("document.activeElement.id")


def test_escape_closes_and_gives_the_focus_back_to_the_map(tab: browser.Browser) -> None:
    focus_map(tab)
    tab.press("Enter")
    tab.wait_for("document.querySelector('dialog').open")
    tab.press("Escape")
    tab.wait_for("!document.querySelector('dialog').open && location.hash === ''")
    assert "TD" == tab.evaluate("document.activeElement.tagName")


def test_the_first_tab_reaches_the_skip_link(tab: browser.Browser) -> None:
    tab.press("Tab")
    assert "Skip to the map" == tab.evaluate("document.activeElement.innerText")


def test_every_control_has_a_name(tab: browser.Browser) -> None:
    tree = tab.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "checkbox", "combobox", "searchbox", "textbox", "dialog", "grid"}
    nameless = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value") in roles - {"grid"}
        and not node.get("name", {}).get("value")
    ]
    assert [] == nameless


def test_a_cell_of_the_map_is_read_out_as_counts(tab: browser.Browser) -> None:
    labels = tab.evaluate(
        "Array.from(document.querySelectorAll('#maptable td'),"
        " (cell) => cell.ariaLabel || cell.querySelector('[role=img]').title)"
    )
    assert labels == ["2 pass, 1 fail", "2 pass", "1 crashed", "not planned"]


def test_rows_in_which_everything_passes_can_be_hidden(
    tab: browser.Browser, tmp_path: Path
) -> None:
    results = sample.simple(
        tmp_path / "a.jsonl", "a", {FAILING: "rejected", "size-13/scalar/int8": "pass"}
    )
    (tmp_path / "page.html").write_text(html.render([results]), encoding="utf-8")
    tab.open(tmp_path / "page.html")
    tab.evaluate("document.querySelector('#only-open').click()")
    rows = "document.querySelectorAll('#maptable tbody tr:not([hidden]) th')"
    assert ["Shape-15"] == tab.evaluate(f"Array.from({rows}, (head) => head.innerText)")


def test_a_column_can_be_hidden(tab: browser.Browser) -> None:
    tab.evaluate("document.querySelectorAll('#column-choice input')[0].click()")
    shown = "getComputedStyle(document.querySelectorAll('#maptable thead th.backend')[{}]).display"
    assert ["none", "table-cell"] == [tab.evaluate(shown.format(number)) for number in (0, 1)]


def test_the_search_finds_vectors_by_words_verdict_and_backend(tab: browser.Browser) -> None:
    def found(words: str, verdict: str, backend: str) -> str:
        tab.evaluate(
            f"document.querySelector('#search-text').value = {words!r};"
            f"document.querySelector('#search-verdict').value = {verdict!r};"
            f"document.querySelector('#search-backend').value = {backend!r};"
            "document.querySelector('#search').requestSubmit()"
        )
        return text(tab, "#search-count")

    assert "4 of 4 vectors" == found("", "", "")
    assert "1 of 4 vectors" == found("SHAPE clip_end", "", "")
    assert "2 of 4 vectors" == found("", "failing", "")
    assert "1 of 4 vectors" == found("", "crashed", "0")
    assert "1 of 4 vectors" == found("", "=wrong-value", "0")
    assert "0 of 4 vectors" == found("", "failing", "1")


def test_a_phone_scrolls_no_page_sideways(chromium: browser.Browser, page: Path) -> None:
    chromium.emulate(390, 844, phone=True)
    chromium.open(page)
    assert 390 == chromium.evaluate("document.documentElement.scrollWidth")
    go(chromium, f"vector/{FAILING}")
    wide = "document.querySelector('.dialog').scrollWidth <= 390"
    assert chromium.evaluate(wide)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(
    chromium: browser.Browser,
    tmp_path: Path,
    dark: bool,  # noqa: FBT001  pytest gives it by name
) -> None:
    every = ["wrong-value", "crashed", "error", "inconclusive", "unsupported", "pass"]
    rows = [sample.row("size-1/a/int8", expect="any"), sample.row("size-1/a/int32", expect="any")]
    rows.append(sample.row("size-1/b/int32"))
    for number, verdict in enumerate(every):
        # All of a tile's vectors have the verdict, or only some: other colours.
        rows.append(sample.row(f"shape-{number}/a/int8", verdict))
        rows.append(sample.row(f"shape-{number}/a/int32", verdict))
        rows.append(sample.row(f"shape-{number}/b/int32"))
    head = sample.header("a", [row.id for row in rows])
    path = tmp_path / "page.html"
    path.write_text(html.render([sample.write(tmp_path / "a.jsonl", head, rows)]), "utf-8")
    chromium.emulate(1400, 1000, dark=dark)
    chromium.open(path)
    found = "document.querySelectorAll('.map [role=img] i')"
    tiles = f"new Set(Array.from({found}, (tile) => tile.className[0]))"
    assert set("PFfCcJjIiUuLl") == set(chromium.evaluate(f"Array.from({tiles}).join('')"))
    script = (SUPPORT / "page_contrast.js").read_text(encoding="utf-8")
    assert [] == chromium.evaluate(script)


def test_the_page_can_be_read_without_scripts(chromium: browser.Browser, page: Path) -> None:
    chromium.emulate(1400, 1000)
    chromium.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.call("Page.navigate", url="about:blank")
        chromium.call("Page.navigate", url=page.as_uri())
        chromium.wait_for("document.querySelector('footer')")
        shown = text(chromium, "body")
        assert "Scripts are off" in shown
        assert "All vectors" not in shown
        chromium.evaluate("document.querySelector('.case').open = true")
        body = text(chromium, ".case .body")
        assert "onnx-validate run --backend one" in body
    finally:
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)


def test_paper_shows_the_whole_map_and_no_controls(tab: browser.Browser) -> None:
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert "none" == tab.evaluate("getComputedStyle(document.querySelector('nav')).display")
    assert "visible" == tab.evaluate("getComputedStyle(document.querySelector('.mapbox')).overflow")


def test_the_axis_of_a_map_is_in_the_address_and_outlasts_a_dialog(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    vector = "shape-15/clip_start/float32"
    columns = [sample.simple(tmp_path / "a.jsonl", "a", {vector: "crashed"})]
    write_site(columns, tmp_path / "site")
    page = tmp_path / "site" / "operators" / "shape.html"
    shown = "[...document.querySelectorAll('.axis')].filter((a) => a.offsetHeight).map((a) => a.id)"
    for fragment, axis in (("", "requirement"), ("map-by-form", "form"), ("map-by-type", "type")):
        chromium.open(page, fragment)
        assert [f"map-by-{axis}"] == chromium.evaluate(shown)
        go(chromium, f"vector/{vector}")
        assert [f"map-by-{axis}"] == chromium.evaluate(shown)
        chromium.press("Escape")
        # The address follows when the dialog is closed, not at once.
        chromium.wait_for(f"location.hash === '#map-by-{axis}'")
        assert not chromium.evaluate("document.querySelector('dialog').open")


def test_the_causes_of_a_runtime_are_filtered_by_verdict_operator_and_words(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    answers = {"shape-15/clip_start/float32": "crashed", "size-13/scalar/int8": "wrong-value"}
    write_site([sample.simple(tmp_path / "a.jsonl", "a", answers)], tmp_path / "site")
    chromium.emulate(1400, 1000)
    chromium.open(tmp_path / "site" / "runtimes" / "a.html")
    assert "2 of 2 causes, 2 failing models" == text(chromium, "#filter-count")
    for field, wanted in (("verdict", "crashed"), ("operator", "Shape"), ("text", "clip_start")):
        set_to = "(value) => { const [f] = document.getElementsByName('%s'); f.value = value;"
        fire = "f.dispatchEvent(new Event('input', { bubbles: true })); }"
        chromium.evaluate(f"({set_to % field} {fire})({wanted!r})")
        assert "1 of 2 causes, 1 failing models" == text(chromium, "#filter-count")
        chromium.evaluate(f"({set_to % field} {fire})('')")


def test_ten_runtimes_and_a_long_source_fit_a_phone(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    words = {
        "text": "A start below -r selects from the first axis.",
        "document": "Shape-15",
        "part": "Summary; and a long list of the places in other documents that say so",
    }
    columns = [
        sample.simple(
            tmp_path / f"{number}.jsonl",
            f"runtime number {number} with a long name",
            {"shape-15/clip_start/float32": "crashed"},
            requirements={"Shape": {"clamp-start": words}},
        )
        for number in range(10)
    ]
    write_site(columns, tmp_path / "site")
    chromium.emulate(390, 844, phone=True)
    chromium.open(tmp_path / "site" / "operators" / "shape.html")
    assert 390 == chromium.evaluate("document.documentElement.scrollWidth")


def test_what_is_looked_for_on_the_page_of_an_operator_is_in_the_address(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    verdicts = {"shape-15/clip_start/float32": "crashed", "shape-15/clip_end/int8": "pass"}
    columns = [sample.simple(tmp_path / f"{name}.jsonl", name, verdicts) for name in ("a", "b")]
    write_site(columns, tmp_path / "site")
    page = tmp_path / "site" / "operators" / "shape.html"
    chromium.open(page)
    chromium.evaluate(
        "((choice) => { choice.value = 'crashed'; choice.dispatchEvent(new Event('change')); })"
        "(document.querySelector('#search-verdict'))"
    )
    assert "?verdict=crashed" == chromium.evaluate("location.search")
    chromium.evaluate("location.search = '?text=CLIP_end&runtime=b&verdict=made-up'")
    found = "document.querySelector('#search-count')?.textContent"
    chosen = "document.querySelector('#search-backend')?.value"
    # The page before it says the same number: the choice tells that it is gone.
    chromium.wait_for(f"{found} === '1 of 2 vectors' && {chosen} === '1'")


def test_vectors_of_a_requirement_or_a_form_are_found_and_the_choice_is_in_the_address(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    columns = [
        sample.simple(
            tmp_path / f"{name}.jsonl",
            name,
            {"shape-15/clip_start/float32": "crashed", "shape-15/clip_end/int8.symbolic": "pass"},
        )
        for name in ("a", "b")
    ]
    write_site(columns, tmp_path / "site")
    chromium.open(tmp_path / "site" / "operators" / "shape.html")
    names = "Array.from(document.querySelector('#search-{}').options, (option) => option.text)"
    for name in ("requirement", "form"):
        every = chromium.evaluate(names.format(name))
        chosen = every[-1]
        chromium.evaluate(
            f"((choice) => {{ choice.value = {len(every) - 2};"
            " choice.dispatchEvent(new Event('change')); })"
            f"(document.querySelector('#search-{name}'))"
        )
        assert f"?{name}={chosen}" == chromium.evaluate("location.search")
        chromium.evaluate(f"location.search = '?{name}={chosen}&verdict=pass'")
        kept = f"document.querySelector('#search-{name}')?.selectedOptions[0]?.text"
        verdict = "document.querySelector('#search-verdict')?.value"
        chromium.wait_for(f"{kept} === '{chosen}' && {verdict} === 'pass'")
        chromium.open(tmp_path / "site" / "operators" / "shape.html")


def test_the_dialog_of_a_site_offers_model_script_and_document(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("fine", "wrong"))
    corpus = open_corpus(root)
    facts = {"version": "test", "digest": corpus.digest}
    verdicts = {"shape-15/fine/float32": "pass", "shape-15/wrong/float32": "wrong-value"}
    columns = [
        sample.simple(tmp_path / f"{name}.jsonl", name, verdicts, corpus=facts)
        for name in ("onnxruntime", "mine")
    ]
    write_site(columns, tmp_path / "site", beside_pages=Downloads(corpus).of)
    page = tmp_path / "site" / "operators" / "shape.html"
    chromium.open(page)
    go(chromium, "vector/shape-15/wrong/float32")
    links = chromium.evaluate(
        "[...document.querySelectorAll('dialog a[download]')].map((a) => a.getAttribute('href'))"
    )
    assert ["model.onnx", "vector.zip", "repro-onnxruntime.py"] == [
        item.rpartition("/")[2] for item in links
    ]
    assert all((page.parent / item).resolve().is_file() for item in links)
    shown = text(chromium, "dialog")
    assert "onnx-validate repro 'shape-15/wrong/float32' --backend mine --issue" in shown
    documents = "document.querySelector('dialog a[href*=\"l-onnx-op-shape-15\"]').textContent"
    assert "document of Shape-15" == chromium.evaluate(documents)
