"""`onnx-vectors changes`: what was added, corrected and withdrawn, and what nobody explained."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dated_manifests import NEW, OLD, gone, line, write_manifests

from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.generators.releases.changelog import as_document, as_markdown
from onnx_conformance.generators.releases.changes import changes_between
from onnx_conformance.generators.releases.contents import contents_of, read_manifests
from onnx_conformance.generators.specs.rulings import Ruling, Rulings

COMMAND = str(Path(sys.executable).with_name("onnx-vectors"))
KEPT, ADDED = "add-14/kept/float32", "clip-13/added/float32"
CORRECTED, WITHDRAWN = "add-14/corrected/float32", "add-14/withdrawn/int8"
WHY = "the page means the other bound"
RULINGS = Rulings(corrected=(Ruling(("add-14/*",), WHY, "rulings.yaml:3", NEW),))
HELD = {KEPT: "1", CORRECTED: "2", WITHDRAWN: "3"}


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    lines = [line(KEPT, "1"), line(CORRECTED, "22", v0_2_0="2"), line(ADDED, "4", NEW)]
    away = [gone(WITHDRAWN, "3", "no page says so")]
    return write_manifests(tmp_path / "manifests", lines, away, released={OLD: HELD})


def test_what_stood_in_a_release_is_what_was_released(manifests: Path) -> None:
    read = read_manifests(manifests)
    then = {name: item.digest for name, item in read.then(OLD).vectors.items()}
    assert then == HELD
    assert read.then(NEW).vectors.keys() == read.now().vectors.keys() == {KEPT, CORRECTED, ADDED}


def test_each_vector_that_changed_is_named_with_the_ruling_or_the_reason(manifests: Path) -> None:
    read = read_manifests(manifests)
    found = changes_between(read.then(OLD), read.now(), RULINGS)
    document = as_document(found)
    assert [ADDED] == [item["id"] for item in document["added"]]
    assert [(CORRECTED, "2", "22", NEW, WHY)] == [
        (item["id"], item["old"], item["new"], item["release"], item["ruling"])
        for item in document["corrected"]
    ]
    assert [(WITHDRAWN, "3", NEW, "no page says so")] == [
        (item["id"], item["digest"], item["release"], item["reason"])
        for item in document["withdrawn"]
    ]
    assert () == found.unexplained


def test_the_page_counts_by_operator_and_requirement_and_gives_the_words(manifests: Path) -> None:
    read = read_manifests(manifests)
    page = as_markdown(changes_between(read.then(OLD), read.now(), RULINGS))
    assert "3 vectors then, 3 now: 1 added, 1 corrected, 1 withdrawn." in page
    assert "| `Clip` | 1 | `requirement-of-added` 1 |" in page
    assert f"1 vector: {WHY}\n\n- `{CORRECTED}`: digest `2` became `22`" in page
    assert f"1 vector: no page says so\n\n- `{WITHDRAWN}`" in page


def test_a_ruling_of_an_earlier_release_explains_no_later_correction(manifests: Path) -> None:
    read = read_manifests(manifests)
    earlier = Rulings(corrected=(Ruling(("add-14/*",), WHY, "rulings.yaml:3", "0.1.0"),))
    found = changes_between(read.then(OLD), read.now(), earlier)
    assert (CORRECTED,) == found.unexplained


def test_a_lost_vector_is_said_to_be_lost(manifests: Path, tmp_path: Path) -> None:
    lines = [line(KEPT, "1"), line(CORRECTED, "2")]
    later = write_manifests(tmp_path / "later", lines)
    found = changes_between(
        read_manifests(manifests).then(OLD), read_manifests(later).now(), Rulings()
    )
    assert (WITHDRAWN,) == found.unexplained
    assert f"1 vector: lost: nobody withdrew it\n\n- `{WITHDRAWN}`" in as_markdown(found)


@pytest.mark.parametrize("asked", ["0.1.0", "0.10.0"])
def test_an_unknown_release_names_those_that_there_are(manifests: Path, asked: str) -> None:
    with pytest.raises(UsageError, match=rf"no release {asked} in .*; there are 0\.2\.0, 0\.3\.0"):
        contents_of(asked, read_manifests(manifests))


@pytest.mark.parametrize("asked", ["nothing", "--help", "HEAD~1:x"])
def test_a_word_that_means_nothing_is_one_line(
    manifests: Path, asked: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^'.*' is no (release|revision)"):
        contents_of(asked, read_manifests(manifests))


def test_a_manifest_of_another_format_is_named(manifests: Path) -> None:
    path = manifests / "manifest.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 3'))
    with pytest.raises(BadInputError, match=r"manifest\.json: is not a manifest: .*format"):
        read_manifests(manifests)


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose first commit held one vector more, and one less, than its files do."""
    root = tmp_path / "repository"
    manifests = root / "vectors" / "standard"
    (root / "specs").mkdir(parents=True)
    write_manifests(manifests, [line(KEPT, "1"), line(CORRECTED, "2")], version=OLD)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "First")):
        subprocess.run(["git", *words], cwd=root, check=True)  # noqa: S607
    held = {KEPT: "1", CORRECTED: "2"}
    lines = [line(KEPT, "1"), line(CORRECTED, "22", v0_2_0="2"), line(ADDED, "4", NEW)]
    write_manifests(manifests, lines, released={OLD: held})
    return root


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "changes", *words], cwd=folder, capture_output=True, text=True, check=False
    )


def rule(checkout: Path) -> None:
    (checkout / "specs" / "rulings.yaml").write_text(
        f'corrected:\n  - {{ids: ["{CORRECTED}"], release: "{NEW}", ruling: {WHY}}}\n'
    )


@pytest.mark.parametrize("old", ["HEAD", OLD])
def test_a_revision_and_a_release_are_compared_with_what_is_here(checkout: Path, old: str) -> None:
    rule(checkout)
    done = run(checkout, old, "--json")
    assert (0, "") == (done.returncode, done.stderr)
    found = json.loads(done.stdout)
    assert [[ADDED], [CORRECTED], []] == [
        [item["id"] for item in found[key]] for key in ("added", "corrected", "withdrawn")
    ]


def test_two_folders_are_compared(checkout: Path, tmp_path: Path) -> None:
    other = write_manifests(tmp_path / "other", [line(KEPT, "1")])
    done = run(checkout, str(other), str(checkout / "vectors" / "standard"))
    assert (0, True) == (done.returncode, "2 added, 0 corrected, 0 withdrawn" in done.stdout)


def test_a_correction_without_a_ruling_is_printed_and_ends_with_3(checkout: Path) -> None:
    done = run(checkout, OLD)
    assert 3 == done.returncode
    assert "no ruling is given" in done.stdout
    assert f"onnx-vectors: {CORRECTED}: changed, or is gone, without a ruling\n" == done.stderr


def test_the_changelog_is_written_to_files(checkout: Path, tmp_path: Path) -> None:
    rule(checkout)
    page, document = tmp_path / "a.md", tmp_path / "a.json"
    done = run(checkout, OLD, NEW, "--markdown", str(page), "--document", str(document))
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert page.read_text().startswith(f"# Vectors: {OLD} to {NEW}\n")
    assert NEW == json.loads(document.read_text())["new"]["corpus"]


@pytest.mark.parametrize(("old", "code"), [("0.1.0", 2), ("nothing", 2), ("HEAD", 3)])
def test_bad_input_is_one_line(checkout: Path, old: str, code: int) -> None:
    (checkout / "specs" / "rulings.yaml").write_text(
        f'corrected:\n  - {{ids: ["{CORRECTED}"], release: "7.0.0", ruling: x}}\n'
    )
    done = run(checkout, old)
    assert (code, "", 1) == (done.returncode, done.stdout, done.stderr.count("\n"))
