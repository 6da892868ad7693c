"""`onnx-vectors admit` and `check`: how the lock grows, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sample_specs import CORPUS, RESHAPE, changed, line_of, write_specs

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.listing.model import digest_of
from onnx_conformance.core.corpus.listing.releases import (
    RELEASES_FILE,
    Release,
    digest_of_release,
    read_releases,
    releases_content,
)
from onnx_conformance.core.errors import ExitCode
from onnx_conformance.generators.corpus.lock import lock_beside, lock_folder
from onnx_conformance.generators.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed, Withdrawn

KEPT = "reshape-14/two_dims/float32"
ZERO = "reshape-14/zero/float32"
NEW = """\
  - id: new
    covers: [requested-shape]
    spread: everywhere
    inputs: {data: [6], shape: [6]}
    outputs: {reshaped: [6]}
"""
WITH_NEW = changed("\ninvalid:\n", f"{NEW}\ninvalid:\n")
# The same case with other values.
WITH_OTHER = changed(
    "inputs: {data: [0, 3], shape: [3, 0]}\n    outputs",
    "inputs: {data: [0, 2], shape: [3, 0]}\n    outputs",
)
SECOND = """\
operator: Abs
versions:
  1:
    types: {T: [float32]}
    inputs: {X: T}
    outputs: {Y: T}
    attributes: {}
requirements:
  - id: absolute
    text: The sign is taken away.
    source: {document: Abs-1, part: Summary}
cases:
  - id: negative
    covers: [absolute]
    spread: ends
    inputs: {X: {values: [-1.0]}}
    outputs: {Y: {values: [1.0]}}
"""


class Place:
    """A folder of specs with a lock, whose first release is 0.1.0; 0.2.0 is being worked on."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.specs = folder / "specs"
        self.capsys = capsys
        self.write(RESHAPE, "0.1.0")
        assert 0 == self.call("admit", "--write")
        self.release("0.1.0")
        self.write(RESHAPE)
        assert 0 == self.call("admit", "--write")

    def write(self, text: str, version: str = "0.2.0", rulings: str = "") -> None:
        corpus = CORPUS.replace('"0.0.1"', f'"{version}"')
        write_specs(self.specs, text, corpus=corpus)
        (self.specs / "rulings.yaml").write_text(rulings or "{}\n")

    def release(self, version: str) -> None:
        digests = [(line.id, line.digest) for line in self.lines.values()]
        found = Release(version, "2026-11-23", len(digests), digest_of_release(digests))
        folder = lock_folder(self.specs)
        released = [*read_releases(folder), found]
        (folder / RELEASES_FILE).write_bytes(releases_content(released))

    def call(self, command: str, *words: object) -> int:
        self.out, self.err = "", ""
        arguments = [command, "--jobs", "1", "--specs", str(self.specs), *map(str, words)]
        code = dispatch("onnx-vectors", "", COMMANDS, arguments, ())
        self.out, self.err = self.capsys.readouterr()
        return code

    def check(self) -> list[str]:
        """What `check` finds wrong with the lock."""
        code = self.call("check", "--output", self.specs.parent / "vectors")
        lines = [line for line in self.err.splitlines() if "/vectors/" not in line[:30]]
        missing = ("is missing", "run `make vectors`", "no case that", "has no valid vector")
        found = [line for line in lines if not any(word in line for word in missing)]
        assert code == (ExitCode.BAD_INPUT if self.err else ExitCode.OK)
        return [line.removeprefix("onnx-vectors: ") for line in found]

    @property
    def lines(self) -> dict[str, Listed]:
        lock = lock_beside(self.specs)
        assert lock is not None
        return {line.id: line for line in lock.lines()}

    @property
    def withdrawn(self) -> dict[str, Withdrawn]:
        lock = lock_beside(self.specs)
        assert lock is not None
        return {item.id: item for version in lock.versions() for item in version.withdrawn}

    def edit(self, change: Callable[[dict], object]) -> None:  # type: ignore[type-arg]
        """Change the manifest of Reshape-14, and its digest in manifest.json with it."""
        root = lock_folder(self.specs)
        path = root / "manifests/reshape-14.json"
        document = json.loads(path.read_bytes())
        change(document)
        content = json.dumps(document, indent=1).encode()
        path.write_bytes(content)
        head = json.loads((root / "manifest.json").read_bytes())
        count = len(document["vectors"])
        head["count"] += count - head["operators"]["reshape-14"]["count"]
        head["operators"]["reshape-14"] = {"count": count, "digest": digest_of(content)}
        (root / "manifest.json").write_text(json.dumps(head))


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, capsys)


# --- admitting ---


def test_the_first_lock_has_all_that_the_rules_propose_and_says_by_which(place: Place) -> None:
    rules = {line.rule for line in place.lines.values()}
    assert {"case", "types", "opset"} <= rules
    assert {"0.1.0"} == {line.since for line in place.lines.values()}


def test_nothing_is_proposed_where_nothing_changed(place: Place) -> None:
    before = place.lines
    assert 0 == place.call("admit", "--write")
    assert "0 vectors are proposed that the lock does not have\n" in place.out
    assert before == place.lines
    assert [] == place.check()


def test_a_new_case_is_shown_and_nothing_is_written(place: Place) -> None:
    place.write(WITH_NEW)
    before = place.lines
    assert 0 == place.call("admit")
    assert "reshape-14: 2 proposed: case 1, opset 1\n" in place.out
    assert before == place.lines
    assert 0 == place.call("admit", "--ids", "reshape-14")
    where = f"{place.specs}/reshape.yaml:{line_of('  - id: new', WITH_NEW)}"
    assert f"reshape-14/new/float32  case  {where}\n" in place.out


def test_a_new_case_is_written_with_its_release_and_its_rule(place: Place) -> None:
    before = place.lines
    place.write(WITH_NEW)
    assert 0 == place.call("admit", "--write")
    added = {name: line for name, line in place.lines.items() if name not in before}
    assert {"new"} == {name.split("/")[1] for name in added}
    assert {"0.2.0"} == {line.since for line in added.values()}
    assert before == {name: place.lines[name] for name in before}
    assert [] == place.check()


def test_a_pattern_admits_no_more_than_it_takes(place: Place) -> None:
    place.write(WITH_NEW)
    assert 0 == place.call("admit", "--write", "reshape-5/*")
    assert {"reshape-5"} == {
        line.operator_version for line in place.lines.values() if line.since == "0.2.0"
    }


def test_what_is_in_no_release_changes_and_goes_without_a_ruling(place: Place) -> None:
    place.write(WITH_NEW)
    place.call("admit", "--write")
    first = place.lines["reshape-14/new/float32"]
    place.write(WITH_NEW.replace("{data: [6], shape: [6]}", "{data: [2, 3], shape: [6]}"))
    assert "is in no release yet; `onnx-vectors admit --write` takes it" in place.check()[0]
    assert 0 == place.call("admit", "--write")
    second = place.lines["reshape-14/new/float32"]
    assert first.digest != second.digest
    assert {} == second.was
    place.write(RESHAPE)
    assert 0 == place.call("admit", "--write")
    assert "reshape-14/new/float32" not in place.lines
    assert {} == place.withdrawn


def test_a_newer_opset_adds_and_loses_nothing(place: Place) -> None:
    before = place.lines
    place.write(RESHAPE)
    path = place.specs / "corpus.yaml"
    path.write_text(path.read_text().replace("newest_opset: 18", "newest_opset: 19"))
    assert 0 == place.call("admit", "--write")
    assert before == {name: place.lines[name] for name in before}
    assert any(name.endswith(".opset19") for name in place.lines)
    assert [] == place.check()


def test_a_released_version_takes_nothing_more(place: Place) -> None:
    place.write(WITH_NEW, "0.1.0")
    assert ExitCode.BAD_INPUT == place.call("admit", "--write")
    assert "corpus 0.1.0 is released, and no longer changes; set the next version" in place.err


def test_an_operator_without_a_spec_is_no_operator(place: Place) -> None:
    assert ExitCode.USAGE == place.call("admit", "--operator", "Abs")
    assert f"there is no spec {place.specs}/abs.yaml" in place.err


def test_a_pattern_that_takes_nothing_is_no_success(place: Place) -> None:
    assert ExitCode.INCOMPLETE == place.call("admit", "--write", "reshape-14/nwe")
    assert "nothing below 'reshape-14' is called 'nwe'" in place.err


def test_an_operator_whose_vectors_were_all_withdrawn_needs_no_spec(
    place: Place, tmp_path: Path
) -> None:
    (place.specs / "abs.yaml").write_text(SECOND)
    place.write(RESHAPE)
    assert 0 == place.call("admit", "--write")
    place.release("0.2.0")
    (place.specs / "abs.yaml").unlink()
    place.write(RESHAPE, "0.3.0")
    assert "no spec is about abs; bring it back, or withdraw" in "".join(place.check())
    ruling = 'withdrawn:\n  - {ids: ["abs-1/*"], release: "0.3.0", reason: of no use}\n'
    place.write(RESHAPE, "0.3.0", ruling)
    assert 0 == place.call("admit", "--write")
    assert {"abs-1/negative/float32"} == place.withdrawn.keys()
    assert [] == place.check()
    assert 0 == place.call("generate", "--output", tmp_path / "out")


# --- rulings ---


def test_a_changed_vector_needs_a_ruling_and_keeps_its_earlier_digest(place: Place) -> None:
    old = place.lines[ZERO].digest
    place.write(WITH_OTHER)
    (line, *_) = place.check()
    assert f"{ZERO} comes out with digest " in line
    assert "and no ruling of 0.2.0 corrects it" in line
    assert 0 == place.call("admit", "--write")
    assert old == place.lines[ZERO].digest
    ruling = 'corrected:\n  - {ids: [reshape-14/zero], release: "0.2.0", ruling: smaller}\n'
    place.write(WITH_OTHER, rulings=ruling)
    assert any(
        "as was ruled; `onnx-vectors admit --write` takes it" in item for item in place.check()
    )
    assert 0 == place.call("admit", "--write")
    assert old != place.lines[ZERO].digest
    assert {"0.1.0": old} == place.lines[ZERO].was
    assert [] == place.check()


def test_a_ruling_that_corrects_nothing_is_named(place: Place) -> None:
    ruling = 'corrected:\n  - {ids: [reshape-14/zero], release: "0.2.0", ruling: smaller}\n'
    place.write(RESHAPE, rulings=ruling)
    (line,) = place.check()
    assert line.startswith(f"{place.specs}/rulings.yaml:2: corrects nothing yet; ")


def test_a_withdrawn_vector_leaves_its_line_and_is_never_proposed_again(place: Place) -> None:
    old = place.lines[ZERO].digest
    ruling = f'withdrawn:\n  - {{ids: [{ZERO}], release: "0.2.0", reason: of no use}}\n'
    place.write(RESHAPE, rulings=ruling)
    (line,) = place.check()
    assert f"withdraws {ZERO} in 0.2.0, and it still stands; `onnx-vectors admit --write`" in line
    assert 0 == place.call("admit", "--write")
    assert ZERO not in place.lines
    gone = place.withdrawn[ZERO]
    assert (old, "0.2.0", "of no use", "0.1.0") == (
        gone.digest,
        gone.release,
        gone.reason,
        gone.since,
    )
    assert "0 vectors are proposed" in place.out
    assert [] == place.check()
    place.write(RESHAPE)
    assert "was withdrawn in 0.2.0, and no ruling in" in place.check()[0]


def test_a_control_cannot_be_withdrawn_alone(place: Place) -> None:
    before = place.lines
    ruling = f'withdrawn:\n  - {{ids: [{KEPT}], release: "0.2.0", reason: of no use}}\n'
    place.write(RESHAPE, rulings=ruling)
    assert ExitCode.BAD_INPUT == place.call("admit", "--write")
    assert f"its control {KEPT} was withdrawn" in place.err
    assert before == place.lines


def test_what_was_declined_is_not_admitted(place: Place) -> None:
    before = place.lines
    ruling = 'declined:\n  - {ids: ["*/new"], reason: as others}\n'
    place.write(WITH_NEW, rulings=ruling)
    assert 0 == place.call("admit", "--write")
    assert "more were declined\n0 vectors are proposed" in place.out
    assert before == place.lines
    assert [] == place.check()
    place.write(RESHAPE, rulings=ruling)
    assert "rulings.yaml:2: nothing" in place.check()[0]


# --- what check refuses ---


def test_a_proposal_that_was_neither_admitted_nor_declined_is_refused(place: Place) -> None:
    place.write(WITH_NEW)
    where = f"{place.specs}/reshape.yaml:{line_of('  - id: new', WITH_NEW)}"
    assert [
        item for item in place.check() if item.startswith(f"{where}: 2 vectors of reshape-14 are")
    ]


def test_an_id_that_is_lost_is_refused(place: Place) -> None:
    start, end = RESHAPE.index("  - id: allowzero_2"), RESHAPE.index("\ninvalid:")
    place.write(RESHAPE[:start] + RESHAPE[end:])
    found = [item for item in place.check() if "has no case 'allowzero_2'; bring it back" in item]
    path = lock_folder(place.specs) / "manifests/reshape-14.json"
    number = line_of('"reshape-14/allowzero_2/float32":', path.read_text())
    assert found[0].startswith(f"{path}:{number}: reshape-14/allowzero_2/float32: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda item: item["vectors"][ZERO].update(since="9.9.9"),
            "unknown release 9.9.9; there are",
        ),
        (lambda item: item.pop("since"), "has no key 'since', its first release"),
        (
            lambda item: item["vectors"][ZERO].update(was={"0.0.9": "0"}),
            "'was' has 0.0.9, which is no",
        ),
        (
            lambda item: item["vectors"][ZERO].update(was={"0.1.0": "0"}),
            "was corrected, and no ruling",
        ),
        (lambda item: item["vectors"].pop(KEPT), f"its control {KEPT} is not in the lock"),
    ],
)
def test_a_lock_that_contradicts_itself_is_one_line_and_nothing_is_written(
    place: Place,
    tmp_path: Path,
    change: Callable[[dict], object],
    message: str,  # type: ignore[type-arg]
) -> None:
    place.edit(change)
    assert [item for item in place.check() if message in item]
    assert ExitCode.BAD_INPUT == place.call("generate", "--output", tmp_path / "out")
    (line,) = place.err.splitlines()
    assert message in line
    assert not (tmp_path / "out" / "valid").exists()


def test_a_withdrawn_id_that_stands_is_refused(place: Place, tmp_path: Path) -> None:
    gone = {"release": "0.2.0", "reason": "of no use", "digest": "0"}
    place.edit(lambda item: item.update(withdrawn={ZERO: gone}))
    assert ExitCode.BAD_INPUT == place.call("generate", "--output", tmp_path / "out")
    assert f"'{ZERO}' is withdrawn since 0.2.0, and still stands" in place.err
    assert ExitCode.BAD_INPUT == place.call("admit", "--write")


def test_a_lock_that_is_older_than_the_facts_is_refused(place: Place, tmp_path: Path) -> None:
    place.write(RESHAPE, "0.3.0")
    assert ExitCode.BAD_INPUT == place.call("generate", "--output", tmp_path / "out")
    assert "is older than the specs: 'corpus' is 0.2.0, and 0.3.0 in" in place.err
    assert 0 == place.call("admit", "--write")
    assert 0 == place.call("generate", "--output", tmp_path / "out")


def test_what_is_generated_has_the_manifests_of_the_lock(place: Place, tmp_path: Path) -> None:
    assert 0 == place.call("generate", "--output", tmp_path / "out")
    for name in ("manifest.json", "manifests/reshape-14.json"):
        assert (lock_folder(place.specs) / name).read_bytes() == (
            tmp_path / "out" / name
        ).read_bytes()
