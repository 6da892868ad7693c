"""The site in a real Chromium: its map by pointer and keyboard, filters, colours, a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import browser
import pytest
import sample_results as sample
from places import SUPPORT

from onnx_conformance.validator.reports.site.writing import write_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = browser.needed("THE SITE WAS NOT TESTED")

A = "shape-15/clip_start/float32"
B = "size-13/scalar/int8"
LONG = "died of " + " ".join(map(str, range(400)))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    opened = browser.Browser(str(browser.find_chromium()), tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runtimes: one fails of Shape, the other of Size."""
    folder = tmp_path_factory.mktemp("site")
    head = sample.header("one", [A, B])
    one = sample.write(
        folder / "one.jsonl", head, [sample.row(A, "crashed", message=LONG), sample.row(B)]
    )
    two = sample.simple(folder / "two.jsonl", "two", {A: "pass", B: "wrong-value"})
    write_site([one, two], folder / "site")
    return folder / "site"


@pytest.fixture
def index(chromium: browser.Browser, site: Path) -> browser.Browser:
    chromium.problems.clear()
    chromium.emulate(1400, 1000)
    chromium.open(site / "index.html")
    return chromium


def text(tab: browser.Browser, selector: str) -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def came_to(tab: browser.Browser, page: str) -> str:
    """The rest of the address, once the page is there."""
    tab.wait_for(f"location.pathname.endsWith({page!r}) && document.documentElement?.dataset.ready")
    return str(tab.evaluate("location.search + location.hash"))


def test_a_page_that_is_left_while_it_is_looked_at_is_waited_for(index: browser.Browser) -> None:
    # The first answer never comes: the page is loaded again meanwhile, and keeps its name.
    left = "window.name = 'again', location.reload(), new Promise(() => {})"
    index.wait_for(f"window.name === 'again' || ({left})")
    assert "again" == index.evaluate("window.name")


def test_the_first_page_makes_no_complaint(index: browser.Browser) -> None:
    assert [] == index.problems


def test_arrow_keys_move_over_the_map_and_read_it_out(index: browser.Browser) -> None:
    index.evaluate("document.querySelector('.ops td[tabindex=\"0\"]').focus()")
    index.press("ArrowRight")
    assert "Shape on two: 1 pass" == text(index, "#at")
    index.press("ArrowDown")
    assert "Size on two: 1 fail" == text(index, "#at")


def test_enter_leads_to_what_fails_of_an_operator_on_a_runtime(index: browser.Browser) -> None:
    index.evaluate("document.querySelector('.ops td[tabindex=\"0\"]').focus()")
    index.press("Enter")
    assert "?runtime=one&verdict=failing#vectors" == came_to(index, "operators/shape.html")
    assert "1 of 1 vectors" == text(index, "#search-count")
    top = "document.querySelector('#vectors').getBoundingClientRect().top < innerHeight"
    index.wait_for(top)


def test_a_click_on_what_passes_leads_to_the_operator(index: browser.Browser) -> None:
    index.evaluate("document.querySelectorAll('.ops td')[1].click()")
    assert "?runtime=two" == came_to(index, "operators/shape.html")


def test_filters_go_along_to_the_next_page(index: browser.Browser, site: Path) -> None:
    index.call("Page.navigate", url=f"{(site / 'index.html').as_uri()}?verdict=crashed")
    assert "?verdict=crashed" == came_to(index, "index.html")
    assert "1 of 2 causes, 1 failing models" == text(index, "#filter-count")
    index.evaluate("document.querySelector('#runtimes a.name').click()")
    assert "?verdict=crashed" == came_to(index, "runtimes/one.html")
    assert "crashed" == index.evaluate("document.querySelector('[name=verdict]').value")


def test_an_operators_page_takes_a_verdict_as_the_first_page_says_it(
    chromium: browser.Browser, site: Path
) -> None:
    page = (site / "operators" / "size.html").as_uri()
    chromium.call("Page.navigate", url=f"{page}?verdict=wrong-value&runtime=two")
    came_to(chromium, "operators/size.html")
    assert "=wrong-value" == chromium.evaluate("document.querySelector('#search-verdict').value")


def test_clearing_the_filters_shows_all(index: browser.Browser, site: Path) -> None:
    index.call("Page.navigate", url=f"{(site / 'index.html').as_uri()}?text=nothing+alike")
    came_to(index, "index.html")
    assert "0 of 2 causes, 0 failing models" == text(index, "#filter-count")
    index.evaluate("document.querySelector('#filters [type=reset]').click()")
    index.wait_for("document.querySelector('#filter-count').innerText.startsWith('2 of 2')")


def test_what_a_runtime_said_is_two_lines_until_it_is_opened(index: browser.Browser) -> None:
    index.emulate(500, 1000)
    row = "document.querySelector('li[data-verdict=crashed] .cause')"
    height = f"{row}.querySelector('.said').getBoundingClientRect().height"
    folded = index.evaluate(height)
    index.evaluate(f"{row}.open = true")
    assert folded < index.evaluate(height)


def test_a_long_value_of_a_vector_folds(chromium: browser.Browser, tmp_path: Path) -> None:
    model = "\n".join(f"line {number}" for number in range(100))
    row = sample.row(A, "crashed", details={"model": model})
    results = sample.write(tmp_path / "one.jsonl", sample.header("one", [A]), [row])
    write_site([results], tmp_path / "site")
    chromium.emulate(1400, 1000)
    chromium.open(tmp_path / "site" / "operators" / "shape.html", f"vector/{A}")
    chromium.wait_for("document.querySelector('dialog pre.folded')")
    chromium.evaluate("document.querySelector('dialog pre.folded + button').click()")
    assert chromium.evaluate("document.querySelector('dialog pre.folded') === null")
    assert "show less" == text(chromium, "dialog [aria-expanded]")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_sign_of_the_map_stands_out_from_its_ground(
    chromium: browser.Browser,
    tmp_path: Path,
    dark: bool,  # noqa: FBT001  pytest gives it by name
) -> None:
    every = ["wrong-value", "crashed", "error", "inconclusive", "unsupported", "pass"]
    rows = []
    for verdict in every:
        for share in (1, 4, 9, 10):
            name = f"{verdict.replace('-', '')}{share}"
            calm = "inconclusive" if verdict == "pass" else "pass"
            rows += [
                sample.row(f"{name}-1/{place}/int8", verdict if place < share else calm)
                for place in range(10)
            ]
    head = sample.header("a", [row.id for row in rows])
    write_site([sample.write(tmp_path / "a.jsonl", head, rows)], tmp_path / "site")
    chromium.emulate(1400, 1000, dark=dark)
    chromium.open(tmp_path / "site" / "index.html")
    signs = "Array.from(document.querySelectorAll('.ops td'), (td) => td.className)"
    assert {"f1", "f4", "f9", "F", "c1", "C", "u4", "U", "p9", "P"} <= set(chromium.evaluate(signs))
    script = (SUPPORT / "page_contrast.js").read_text(encoding="utf-8")
    assert [] == chromium.evaluate(script)


def test_sixteen_runtimes_scroll_no_phone_sideways(
    chromium: browser.Browser, tmp_path: Path
) -> None:
    columns = [
        sample.simple(tmp_path / f"{number}.jsonl", f"runtime {number}", {A: "crashed", B: "pass"})
        for number in range(16)
    ]
    write_site(columns, tmp_path / "site")
    chromium.emulate(390, 844, phone=True)
    chromium.open(tmp_path / "site" / "index.html")
    assert 390 == chromium.evaluate("document.documentElement.scrollWidth")
    name = "document.querySelector('.ops tbody th').getBoundingClientRect().width"
    assert 80 < chromium.evaluate(name)
