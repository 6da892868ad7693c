"""Entries with several ids, and baselines that include others."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from small_corpus import entries_of

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of, read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.updating import update
from onnx_conformance.validator.results.records import Row

if TYPE_CHECKING:
    from pathlib import Path

CORPUS = tuple(
    f"{version}/{case}/{variant}"
    for version in ("reshape-14", "shape-15", "size-13")
    for case in ("clip", "zero")
    for variant in ("float32", "int8")
)
ENTRIES = entries_of(CORPUS)
ONE_BUG = """\
entries:
  - ids:
      # the parser
      - shape-15/clip/*   # both of them
      - size-13/zero/int8
    verdict: rejected
    reason: one bug
"""
IN_BRACKETS = ONE_BUG.replace(
    """ids:
      # the parser
      - shape-15/clip/*   # both of them
      - size-13/zero/int8
""",
    "ids: ['shape-15/clip/*', size-13/zero/int8]  # the parser\n",
)


def rows(**verdicts: str) -> list[Row]:
    """A row for each vector: those of `shape_clip="rejected"` and the like, the rest pass."""
    found = []
    for vector_id in CORPUS:
        version, case, variant = vector_id.split("/")
        operator = version.partition("-")[0]
        keys = (f"{operator}_{case}_{variant}", f"{operator}_{case}")
        verdict = next((verdicts[key] for key in keys if key in verdicts), "pass")
        found.append(Row(vector_id, verdict, None, "said", 0.0))
    return found


AS_LISTED = {"shape_clip": "rejected", "size_zero_int8": "rejected"}


@pytest.mark.parametrize("text", [ONE_BUG, IN_BRACKETS], ids=["lines", "brackets"])
def test_one_entry_lists_several_patterns(text: str) -> None:
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), ENTRIES)
    expected = {"shape-15/clip/float32", "shape-15/clip/int8", "size-13/zero/int8"}
    assert expected == set(known.of)
    assert ExitCode.OK == gate(rows(**AS_LISTED), known, CORPUS).exit_code


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (("size-13/zero/int8", "size-13/nero/int8"), "'size-13/nero/int8' matches no vector"),
        (
            ("  - ids:", "  - id: size-13/clip\n    ids:"),
            "'id', or 'ids' for several, and not both",
        ),
        (("- size-13/zero/int8", "- shape-15/clip/*"), "is in this list already"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(spoil: tuple[str, str], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        expectations_of(baseline_of(parse_yaml(ONE_BUG.replace(*spoil), "b.yaml")), ENTRIES)


def changed(text: str, found: list[Row], **options: bool) -> str:
    return update(text, "b.yaml", found, ENTRIES, **options).text


def test_what_passes_leaves_a_list_and_comments_stay() -> None:
    expected = ONE_BUG.replace("      - size-13/zero/int8\n", "")
    assert expected == changed(ONE_BUG, rows(shape_clip="rejected"))


def test_a_pattern_in_a_list_is_narrowed() -> None:
    expected = ONE_BUG.replace("- shape-15/clip/* ", "- shape-15/clip/int8 ")
    found = rows(shape_clip_int8="rejected", size_zero_int8="rejected")
    assert expected == changed(ONE_BUG, found)


def test_a_list_in_brackets_is_narrowed_in_them() -> None:
    found = rows(shape_clip_int8="rejected", size_zero_int8="rejected")
    expected = "ids: [shape-15/clip/int8, size-13/zero/int8]  # the parser"
    assert expected in changed(IN_BRACKETS, found)


def test_a_list_of_which_all_passes_is_removed() -> None:
    assert "entries: []\n" == changed(ONE_BUG, rows())


def test_a_pattern_of_a_list_that_fits_nothing_any_more_is_removed() -> None:
    text = ONE_BUG.replace("      - size-13/zero/int8\n", "      - size-13/gone/int8\n")
    found = rows(shape_clip="rejected")
    expected = ONE_BUG.replace("      - size-13/zero/int8\n", "")
    assert expected == changed(text, found, remove_unmatched=True)


def test_a_list_whose_vectors_all_fail_otherwise_gets_the_new_verdict() -> None:
    found = rows(shape_clip="crashed", size_zero_int8="crashed")
    expected = ONE_BUG.replace("verdict: rejected", "verdict: crashed")
    assert expected == changed(ONE_BUG, found, accept_new=True)


# --- include --------------------------------------------------------------------------------


class Files:
    """A baseline for all platforms, and that of one of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "ci").mkdir()
        self.write("all.yaml", ONE_BUG)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(textwrap.dedent(text))
        return path

    def platform(self, entries: str = "entries: []") -> Path:
        return self.write("ci/arm.yaml", f"include: ../all.yaml\n{textwrap.dedent(entries)}")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def judged(path: Path, found: list[Row]) -> list[str]:
    known = expectations_of(read_baseline(path, path.parent.parent), ENTRIES)
    return [item.message for item in gate(found, known, CORPUS).findings]


def test_what_is_included_is_listed(files: Files) -> None:
    assert [] == judged(files.platform(), rows(**AS_LISTED))


def test_an_included_entry_that_is_stale_names_its_own_file(files: Files) -> None:
    (message,) = judged(files.platform(), rows(shape_clip="rejected"))
    assert message.startswith(f"{files.folder / 'ci' / '..' / 'all.yaml'}:2: 'shape-15/clip/*'")


DIFFERS = """
    entries:
      - {id: shape-15/clip/int8, verdict: crashed, reason: on this platform}
      - {id: size-13/zero/int8, verdict: pass, reason: mended here}
"""


def test_entries_of_its_own_come_before_those_that_it_includes(files: Files) -> None:
    found = rows(shape_clip_float32="rejected", shape_clip_int8="crashed")
    assert [] == judged(files.platform(DIFFERS), found)
    messages = judged(files.platform(DIFFERS), rows(**AS_LISTED))
    assert 2 == len(messages)
    assert any("size-13/zero/int8: rejected" in item for item in messages)


def test_a_pass_that_no_included_file_contradicts_is_refused(files: Files) -> None:
    text = "entries:\n  - {id: reshape-14/clip/int8, verdict: pass, reason: r}\n"
    with pytest.raises(BadInputError, match="'reshape-14/clip/int8' is listed as 'pass'"):
        judged(files.platform(text), rows())


def test_a_circle_of_files_is_refused(files: Files) -> None:
    path = files.write("ci/arm.yaml", "include: other.yaml\nentries: []\n")
    files.write("ci/other.yaml", "include: [arm.yaml]\nentries: []\n")
    with pytest.raises(BadInputError, match=r"other.yaml:1: .*includes this file: a circle"):
        read_baseline(path)


def test_a_file_that_is_not_there_is_named(files: Files) -> None:
    path = files.write("ci/arm.yaml", "include: nowhere.yaml\nentries: []\n")
    with pytest.raises(BadInputError, match=r"arm.yaml:1: there is no file .*nowhere.yaml"):
        read_baseline(path)


def test_a_pass_without_an_include_is_refused_as_ever() -> None:
    text = "entries:\n  - {id: reshape-14/clip/int8, verdict: pass, reason: r}\n"
    with pytest.raises(BadInputError, match="is listed as 'pass', which is expected of every"):
        expectations_of(baseline_of(parse_yaml(text, "b.yaml")), ENTRIES)


def test_accepting_writes_the_differences_and_leaves_the_included_file(files: Files) -> None:
    path = files.platform()
    found = rows(shape_clip_float32="rejected", shape_clip_int8="crashed", reshape_zero="timed-out")
    baseline = read_baseline(path, files.folder)
    done = update(
        path.read_text(), str(path), found, ENTRIES, included=baseline.included, accept_new=True
    )
    path.write_text(done.text)
    assert done.text.startswith("include: ../all.yaml\nentries:\n")
    assert "verdict: pass\n" in done.text
    assert ONE_BUG == (files.folder / "all.yaml").read_text()
    assert [] == judged(path, found)


def test_differences_that_are_not_accepted_are_counted(files: Files) -> None:
    path = files.platform()
    found = rows(shape_clip_float32="rejected", shape_clip_int8="crashed")
    included = read_baseline(path, files.folder).included
    done = update(path.read_text(), str(path), found, ENTRIES, included=included)
    assert (path.read_text(), (), 2) == (done.text, done.changes, done.unlisted)
