"""A corpus with a manifest for each operator version: what it says, and what is no manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from committed_corpus import VECTORS
from runnable_corpus import shape_vector, write_vector
from spoiling import SEED, line_of, spoiled

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.listing.model import (
    Listed,
    VersionManifest,
    Withdrawn,
    digest_of,
    listed,
)
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.listing.writing import files_of_versions, manifest_files
from onnx_conformance.core.corpus.manifests import (
    read_version_manifest,
    read_version_manifests,
)
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.selecting import Selection, select

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import Vector

VERSION = "shape-15"
GOOD, BAD = f"{VERSION}/good/float32", f"{VERSION}/bad/float32"
GONE = {"release": "0.3.0", "reason": "no page says so", "digest": "0"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A corpus of a valid and an invalid vector."""
    return written(
        tmp_path / "vectors",
        shape_vector(GOOD, types={"T": "float16"}, covers=("clamps",), form="initializer"),
        shape_vector(BAD, "invalid", opset=18, control=GOOD, reject="load"),
    )


def written(folder: Path, *vectors: Vector) -> Path:
    lines = []
    for vector in vectors:
        write_vector(folder, vector)
        files = read_files(folder / relative_directory(vector.kind, vector.id))
        lines.append(listed(vector, digest(files)))
    for name, content in manifest_files({"corpus": "test"}, lines).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def changed(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of the operator version, and its digest in manifest.json with it."""
    path = root / "manifests" / f"{VERSION}.json"
    document = json.loads(path.read_bytes())
    change(document)
    content = json.dumps(document).encode()
    path.write_bytes(content)
    replaced(root, lambda item: item["operators"][VERSION].update(digest=digest_of(content)))


def replaced(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = root / "manifest.json"
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


# --- what it says -----------------------------------------------------------------------------


def test_a_corpus_opens_with_all_that_its_manifests_list(root: Path) -> None:
    corpus = open_corpus(root)
    assert [GOOD, BAD] == list(corpus.entries)
    assert [GOOD, BAD] == [load(entry).vector.id for entry in corpus.entries.values()]
    assert digest_of((root / "manifest.json").read_bytes()) == corpus.digest


def test_a_manifest_says_what_data_json_says() -> None:
    corpus = open_corpus(VECTORS)
    assert corpus.entries
    for entry in corpus.entries.values():
        loaded = load(entry)
        assert listed(loaded.vector, str(entry.digest), listed_size(loaded.files)) == Listed(
            entry.id, entry.kind, str(entry.digest), entry.facts or pytest.fail("says nothing")
        )


def test_selecting_and_planning_open_no_vector(root: Path) -> None:
    for path in root.rglob("data.json"):
        path.unlink()
    corpus = open_corpus(root)
    for selection in (
        Selection(types=("float16",)),
        Selection(forms=("initializer",)),
        Selection(opsets=(15,)),
        Selection(requirements=("clamps",)),
    ):
        assert [GOOD] == [entry.id for entry in select(corpus, selection)]
    plan = make_plan(corpus, select(corpus, Selection(kinds=("invalid",))))
    assert ([GOOD, BAD], {BAD: GOOD}) == (list(plan.entries), plan.control_of)


def test_versions_of_an_operator_stand_in_the_order_of_their_numbers() -> None:
    lines = [listed(shape_vector(f"shape-{number}/x/float32"), "0") for number in (21, 1, 13, 9)]
    named = json.loads(manifest_files({}, lines)["manifest.json"])["operators"]
    assert ["shape-1", "shape-9", "shape-13", "shape-21"] == list(named)


def test_one_change_to_an_operator_version_changes_its_manifest_and_one_line() -> None:
    before = [
        listed(shape_vector(f"shape-{number}/{case}/float32"), "0")
        for number in (1, 13)
        for case in ("a", "b")
    ]
    after = [*before[:3], Listed(before[3].id, before[3].kind, "1", before[3].facts)]
    first, second = manifest_files({}, before), manifest_files({}, after)
    differing = {name for name in first if first[name] != second[name]}
    assert {"manifest.json", "manifests/shape-13.json"} == differing
    lines = [set(first["manifest.json"].split(b"\n")) - set(second["manifest.json"].split(b"\n"))]
    assert 1 == len(lines[0])


def past_of(root: Path, *lines: Listed, gone: Sequence[Withdrawn] = ()) -> VersionManifest:
    """Lines as they come back from a manifest of Shape-15."""
    files = manifest_files({"corpus": "test"}, lines, {VERSION: gone})
    for name, content in files.items():
        (root / name).write_bytes(content)
    (entry,) = json.loads(files["manifest.json"])["operators"].values()
    return read_version_manifest(root, VERSION, entry["digest"], entry["count"])


def test_since_when_a_vector_stands_and_what_it_was_come_back(root: Path) -> None:
    first = replace(listed(shape_vector(GOOD), "1"), since="0.2.0", was={"0.9.0": "0"})
    second = replace(listed(shape_vector(BAD), "2"), since="0.10.0", rule="types")
    gone = Withdrawn(f"{VERSION}/x/float32", "3", "0.10.0", "no page says so", "0.3.0")
    found = past_of(root, first, second, gone=[gone])
    assert [second, first] == sorted(found.vectors, key=lambda item: item.id)
    assert (gone,) == found.withdrawn


def test_the_oldest_release_of_a_manifest_stands_at_its_head_and_not_on_its_lines(
    root: Path,
) -> None:
    first = replace(listed(shape_vector(GOOD), "1"), since="0.9.0")
    second = replace(listed(shape_vector(BAD), "2"), since="0.10.0")
    past_of(root, first, second)
    text = (root / "manifests" / f"{VERSION}.json").read_text()
    assert 1 == text.count('"since": "0.9.0"')
    assert 1 == text.count('"since": "0.10.0"')


def test_an_operator_version_whose_vectors_are_all_withdrawn_keeps_its_manifest(root: Path) -> None:
    gone = Withdrawn(GOOD, "3", "0.3.0", "no page says so", "0.2.0")
    version = VersionManifest("Shape", "", 15, (), (gone,))
    for name, content in files_of_versions({"corpus": "test"}, [version]).items():
        (root / name).write_bytes(content)
    assert {} == open_corpus(root).entries
    (entry,) = json.loads((root / "manifest.json").read_bytes())["operators"].values()
    assert version == read_version_manifest(root, VERSION, entry["digest"], 0)


# --- what is none -----------------------------------------------------------------------------


def refused(root: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        open_corpus(root)
    (line,) = str(caught.value).splitlines()
    return line


def test_a_manifest_that_is_missing_is_said_and_not_taken_for_fewer_vectors(root: Path) -> None:
    (root / "manifests" / f"{VERSION}.json").unlink()
    assert "shape-15.json: is missing, and manifest.json names it" in refused(root)


def test_a_manifest_that_was_changed_is_refused(root: Path) -> None:
    path = root / "manifests" / f"{VERSION}.json"
    path.write_bytes(path.read_bytes().replace(b"clamps", b"cramps"))
    assert "shape-15.json: differs from what manifest.json says of it" in refused(root)


def test_a_line_that_was_taken_out_of_both_is_missed_by_the_count(root: Path) -> None:
    changed(root, lambda item: item["vectors"].pop(BAD))
    assert "must be 2, as manifest.json says, not 1" in refused(root)


def test_counts_that_do_not_add_up_are_refused(root: Path) -> None:
    replaced(root, lambda item: item["operators"].pop(VERSION))
    assert "count is 2, and 0 vectors are in its manifests" in refused(root)


def test_an_older_or_newer_format_is_named(root: Path) -> None:
    replaced(root, lambda item: item.update(format=3))
    assert "manifest.json: has format 3; this version reads 2" in refused(root)


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.pop("operators"),
        lambda item: item.update(operators=[]),
        lambda item: item["operators"].update({VERSION: 3}),
        lambda item: item["operators"][VERSION].update(count="2"),
        lambda item: item["operators"][VERSION].update(digest=None),
        lambda item: item["operators"][VERSION].pop("digest"),
        lambda item: item["operators"].update({"../out": item["operators"].pop(VERSION)}),
        lambda item: item["operators"].update({"..": item["operators"].pop(VERSION)}),
        lambda item: item.update(count=None),
        lambda item: item.pop("count"),
        lambda item: item.pop("corpus"),
    ],
)
def test_a_manifest_json_that_is_none_is_one_line(
    root: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    replaced(root, change)
    assert "manifest.json: is not a manifest: " in refused(root)


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.pop("operator"),
        lambda item: item.update(domain=None),
        lambda item: item.update(since_version="15"),
        lambda item: item.update(covers={"good": "clamps"}),
        lambda item: item["covers"].pop("good"),
        lambda item: item.update(vectors=[]),
        lambda item: item["vectors"].update({GOOD: "0"}),
        lambda item: item["vectors"][GOOD].update(kind="odd"),
        lambda item: item["vectors"][GOOD].pop("digest"),
        lambda item: item["vectors"][GOOD].update(types=["float32"]),
        lambda item: item["vectors"][GOOD].update(opset=1.5),
        lambda item: item["vectors"][BAD].update(control=[GOOD]),
        lambda item: item.update(since="now"),
        lambda item: item["vectors"][GOOD].update(since=3),
        lambda item: item["vectors"][GOOD].update(rule=None),
        lambda item: item["vectors"][GOOD].update(was={"once": "0"}),
        lambda item: item["vectors"][GOOD].update(was={"0.2.0": 0}),
        lambda item: item.update(withdrawn=[GOOD]),
        lambda item: item.update(withdrawn={GOOD: GONE}),
        lambda item: item.update(withdrawn={f"{VERSION}/x/y": {**GONE, "release": "x"}}),
        lambda item: item.update(withdrawn={f"{VERSION}/x/y": {"release": "0.3.0"}}),
        lambda item: item.update(withdrawn={"size-1/x/y": GONE}),
        lambda item: item["vectors"].update({"size-1/good/x": item["vectors"].pop(GOOD)}),
        lambda item: item["vectors"].update({"shape-15": item["vectors"].pop(GOOD)}),
        lambda item: item["vectors"].update({"shape-15/good/\n": item["vectors"].pop(GOOD)}),
    ],
)
def test_an_operator_manifest_that_is_none_is_one_line(
    root: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    changed(root, change)
    assert "shape-15.json: is not a manifest: " in refused(root)


def test_an_id_that_stands_twice_is_named(root: Path) -> None:
    path = root / "manifests" / f"{VERSION}.json"
    content = path.read_bytes()
    twice = content.replace(f'"{BAD}"'.encode(), f'"{GOOD}"'.encode(), 1)
    path.write_bytes(twice)
    replaced(root, lambda item: item["operators"][VERSION].update(digest=digest_of(twice)))
    assert f"'{GOOD}' is there twice" in refused(root)


def test_whatever_stands_in_a_manifest_it_opens_or_is_refused(root: Path) -> None:
    path = root / "manifests" / f"{VERSION}.json"
    content, whole = path.read_bytes(), (root / "manifest.json").read_bytes()
    refusals = 0
    for number in range(300):
        random = Random(f"{SEED} manifest {number}")  # noqa: S311  the same every time
        spoilt = line_of(spoiled(random, json.loads(content)))
        path.write_bytes(spoilt)
        (root / "manifest.json").write_bytes(
            whole.replace(digest_of(content).encode(), digest_of(spoilt).encode())
        )
        try:
            corpus = open_corpus(root)
            make_plan(corpus, tuple(corpus.entries.values()))
        except ConformanceError as error:
            refusals += 1
            assert str(path) in str(error)  # noqa: PT017  most are refused, and some are no worse
    assert refusals > 100


def test_a_case_whose_vectors_cover_different_things_cannot_be_written() -> None:
    lines = [
        listed(shape_vector(f"shape-15/x/{name}", covers=(name,)), "0")
        for name in ("float16", "float32")
    ]
    with pytest.raises(ValueError, match="covers something else than its case"):
        manifest_files({}, lines)


def test_two_ids_in_one_directory_are_refused(root: Path) -> None:
    lines = [
        listed(shape_vector(name), "0") for name in ("shape-15/a_b/float32", "shape-15/a.b/float32")
    ]
    for name, content in manifest_files({"corpus": "test"}, lines).items():
        (root / name).write_bytes(content)
    assert "name one folder" in refused(root)


def test_reading_the_committed_manifests_again_gives_what_was_written() -> None:
    folder = VECTORS / "standard"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    head = {
        key: value for key, value in manifest.items() if key not in ("format", "count", "operators")
    }
    versions = list(read_version_manifests(folder, manifest))
    listed = [item for version in versions for item in version.vectors]
    gone = {
        name: version.withdrawn
        for name, version in zip(manifest["operators"], versions, strict=True)
    }
    files = manifest_files(head, listed, gone)
    assert files == {name: (folder / name).read_bytes() for name in files}
