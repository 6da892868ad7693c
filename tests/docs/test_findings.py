"""docs/findings.md says what is so: its scripts print what it shows, and its counts are right."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from committed_corpus import published_kinds
from findings_tables import BACKENDS, PAGE, ROOT, renewed, slug
from runtimes import runtime_python
from script_server import Printed, ScriptServer
from small_corpus import entries_of

from onnx_conformance.validator.gate.entries import read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnx_conformance.validator.gate.entries import Baseline, BaselineEntry

FINDINGS = PAGE.read_text()
SCRIPTS = re.findall(
    r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```\n\n```text\n(.*?)^```$",
    FINDINGS,
    re.MULTILINE | re.DOTALL,
)
ANCHORS = [slug(heading) for heading in re.findall(r"^## (.+)$", FINDINGS, re.MULTILINE)]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, ScriptServer]]:
    """A server for each interpreter that a script needs."""
    servers: dict[str, ScriptServer] = {}
    yield servers
    for server in servers.values():
        server.close()


def run(servers: dict[str, ScriptServer], script: str, python: str = sys.executable) -> Printed:
    if python not in servers:
        servers[python] = ScriptServer(python)
    return servers[python].run(script)


def test_every_script_of_the_page_is_run() -> None:
    assert SCRIPTS
    assert FINDINGS.count("```python") == len(SCRIPTS)


@pytest.mark.parametrize(
    ("script", "shown"),
    [pytest.param(script, shown, id=slug(heading)) for heading, script, shown in SCRIPTS],
)
def test_the_script_prints_what_the_page_shows(
    servers: dict[str, ScriptServer], script: str, shown: str
) -> None:
    for package in ("onnx", "onnxruntime"):
        if f"{package} {version(package)}" not in FINDINGS:
            pytest.skip(f"the findings are of another version than {package} {version(package)}")
    printed = run(servers, script)
    assert shown == printed.stdout, printed.stderr


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_link_of_a_baseline_leads_to_a_page_or_a_section(backend: str) -> None:
    entries = read_baseline(ROOT / "baselines" / f"{backend}.yaml").entries
    links = {entry.link.partition("#")[::2] for entry in entries if entry.link}
    assert {page for page, _ in links if not (ROOT / page).is_file()} == set()
    assert {anchor for page, anchor in links if page == "docs/findings.md"} <= set(ANCHORS)


# What a runtime says itself: it has no kernel, or none for the valid neighbour of an invalid model.
TOLD = {"unsupported", "inconclusive"}


@pytest.mark.parametrize("backend", ["onnxruntime", "reference"])
def test_whatever_a_runtime_does_wrong_has_a_finding(backend: str) -> None:
    entries = every_entry(read_baseline(ROOT / "baselines" / f"{backend}.yaml"))
    without = [item.where for item in entries if not item.link and not TOLD >= set(item.verdicts)]
    assert [] == without, "write docs/findings/*.md, and link it"


@pytest.mark.parametrize("backend", ["onnxruntime", "reference"])
def test_a_link_to_a_section_of_a_finding_leads_to_one(backend: str) -> None:
    entries = every_entry(read_baseline(ROOT / "baselines" / f"{backend}.yaml"))
    for link in {entry.link for entry in entries if entry.link and "#" in entry.link}:
        page, _, anchor = link.partition("#")
        headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        assert anchor in map(slug, headings), link


def test_what_onnx_reference_leaves_to_the_checker_the_checker_finds() -> None:
    vectors = entries_of(published_kinds(), published_kinds())
    of = {
        name: expectations_of(read_baseline(ROOT / "baselines" / f"{name}.yaml"), vectors).of
        for name in ("reference", "checker")
    }
    section = "docs/findings.md#onnxreference-does-not-validate"
    left = {vector for vector, entry in of["reference"].items() if entry.link == section}
    assert left
    assert [] == sorted(left & set(of["checker"])), "write a page on what the checker accepts, too"


def every_entry(baseline: Baseline) -> Iterator[BaselineEntry]:
    """The entries of a baseline and of those that it includes."""
    yield from baseline.entries
    for other in baseline.included:
        yield from every_entry(other)


PAGES = sorted((ROOT / "docs" / "findings").glob("*.md"))
PAGE_SCRIPTS = [
    pytest.param(
        page.read_text(),
        script,
        shown,
        id=page.stem,
        marks=pytest.mark.slow if "timeout=" in script else (),  # it waits for what hangs
    )
    for page in PAGES
    for script, shown in re.findall(
        r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL
    )
]


# What precedes a version of a package on a page. The newest is the one that printed what is shown.
PACKAGES = {
    "onnx": r"\bonnx(?:\.reference)? (\d+\.\d+\.\d+)",
    "onnxruntime": r"\b(?:onnxruntime|mended in) (\d+\.\d+\.\d+)",
}


# Modules that a script needs an interpreter of its own for: the backend's name, and the package.
RUNTIMES = {
    "aidge_core": ("aidge", "aidge-core"),
    "cv2": ("opencv", "opencv-python-headless"),
    "emx_onnx_cgen": ("emx-onnx-cgen", "emx-onnx-cgen"),
    "iree": ("iree", "iree-base-compiler"),
    "jaxonnxruntime": ("jaxonnxruntime", "jaxonnxruntime"),
    "nxrt": ("nxrt", "nxrt"),
    "onnxoptimizer": ("onnxoptimizer", "onnxoptimizer"),
    "onnxslim": ("onnxslim", "onnxslim"),
    "openvino": ("openvino", "openvino"),
    "tinygrad": ("tinygrad", "tinygrad"),
    "tract": ("tract", "tract"),
    "tvm": ("tvm", "apache-tvm"),
}


def _ordered(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


# The script of these shows nothing but how a process ends.
WITHOUT_OUTPUT = {"randomnormal": 1, "reducemax": 1, "split": 1, "windows": 1}


def test_every_script_of_the_other_pages_is_run() -> None:
    run_here = Counter(str(item.id) for item in PAGE_SCRIPTS)
    scripts = {page.stem: page.read_text().count("```python\n") for page in PAGES}
    left = {stem: count - run_here[stem] for stem, count in scripts.items()}
    assert WITHOUT_OUTPUT == {stem: count for stem, count in left.items() if count}


@pytest.mark.parametrize(("page", "script", "shown"), PAGE_SCRIPTS)
def test_the_script_of_a_page_prints_what_it_shows(
    servers: dict[str, ScriptServer], page: str, script: str, shown: str
) -> None:
    python = sys.executable
    for module in re.findall(
        rf"^(?:from|import) ({'|'.join(RUNTIMES)}|PIL)\b", script, re.MULTILINE
    ):
        if module == "PIL":
            pytest.importorskip(module)
        else:
            name, package = RUNTIMES[module]
            (backend,) = (item for item in KNOWN_BACKENDS if item.name == name)
            python = runtime_python(backend)
            asked = f"from importlib.metadata import version; print(version('{package}'))"
            found = run(servers, asked, python).stdout.strip()
            if found not in page:
                pytest.skip(f"the page is of another version than {package} {found}")
    for package, named in PACKAGES.items():
        newest = max(re.findall(named, page), key=_ordered, default=None)
        if re.search(rf"\b{package}\b", script) and newest not in (None, version(package)):
            pytest.skip(f"the page is of {package} {newest}, not of {version(package)}")
    printed = run(servers, script, python)
    assert shown == printed.stdout, printed.stderr


def test_the_tables_are_those_of_the_baselines() -> None:
    assert renewed(FINDINGS) == FINDINGS, "renew them with: python tests/support/findings_tables.py"


def test_a_table_that_is_not_so_is_noticed() -> None:
    false = re.sub(r"^(\| checker \| )[\d,]+", r"\g<1>1", FINDINGS, flags=re.MULTILINE)
    assert false != FINDINGS
    assert renewed(false) == FINDINGS
