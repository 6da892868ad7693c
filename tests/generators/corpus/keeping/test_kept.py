"""What was made of a spec is made again where anything changed that it depends on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS
from places import ROOT
from sample_specs import RESHAPE, write_real, write_specs

from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.generators.corpus.keeping.dependencies import Dependencies
from onnx_conformance.generators.corpus.keeping.kept import Kept
from onnx_conformance.generators.corpus.lock import lock_folder
from onnx_conformance.generators.corpus.making import manifests, plan_corpus
from onnx_conformance.generators.corpus.parallel import make_corpus, make_operator
from onnx_conformance.generators.corpus.writing import CorpusWriter

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.made import OperatorCorpus

CALL = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"
ARITH = "src/onnx_conformance/generators/oracle/arith/elementary.py"
PROFILES = "src/onnx_conformance/generators/situations/data/profiles.py"
FORM = "src/onnx_conformance/generators/forms/constants.py"
CORE = "src/onnx_conformance/core/values/packing.py"


# --- the command, on a copy of code and specs ---


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with two specs whose vectors were made; each test leaves it so."""
    checkout = tmp_path_factory.mktemp("checkout")
    for name in ("core", "generators"):
        shutil.copytree(
            ROOT / name,
            checkout / "src" / "onnx_conformance" / name,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    specs = {name: (SPECS / f"{name}.yaml").read_text("utf-8") for name in ("not", "size")}
    write_real(checkout / "specs", **specs)
    assert "made again: 2 of 2 specs not, size" == generated(checkout)
    return checkout


def generated(checkout: Path) -> str:
    """What `generate` says that it made again."""
    arguments = [
        "generate",
        "--jobs",
        "1",
        "--specs",
        "specs",
        "--output",
        "vectors",
        "--kept",
        "kept",
    ]
    finished = subprocess.run(
        [sys.executable, "-c", CALL, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout.splitlines()[0]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_nothing_is_made_again_where_nothing_changed(checkout: Path) -> None:
    assert "made again: 0 of 2 specs" == generated(checkout)


def test_what_was_kept_is_written_where_it_is_missing(checkout: Path) -> None:
    shutil.move(checkout / "vectors", checkout / "before")
    assert "made again: 0 of 2 specs" == generated(checkout)
    assert content(checkout / "before") == content(checkout / "vectors")


def content(root: Path) -> dict[str, bytes]:
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }
    assert found
    return found


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param(ARITH, "_MARGIN = 1\n", "_MARGIN = 2\n", id="a constant in arith"),
        pytest.param(PROFILES, "[Fraction(1, 2)]", "[Fraction(1, 4)]", id="a profile"),
        pytest.param(FORM, "", "# another\n", id="a form"),
        pytest.param(CORE, "", "# another\n", id="the core"),
        pytest.param("specs/schemas.json", "", "\n", id="a schema"),
        pytest.param("specs/corpus.yaml", "", "# another\n", id="corpus.yaml"),
        pytest.param("specs/types.yaml", "", "# another\n", id="types.yaml"),
    ],
)
def test_all_is_made_again_after_a_change_of(checkout: Path, path: str, old: str, new: str) -> None:
    change(checkout / path, old, new)
    assert "made again: 2 of 2 specs not, size" == generated(checkout)


def test_one_is_made_again_after_a_change_of_its_spec(checkout: Path) -> None:
    change(checkout / "specs" / "size.yaml", "", "# another\n")
    assert "made again: 1 of 2 specs size" == generated(checkout)


def test_what_is_damaged_is_made_again(checkout: Path) -> None:
    (path,) = (checkout / "kept").glob("standard-size.kept")
    spoiled = bytearray(path.read_bytes())
    spoiled[-1] ^= 1
    path.write_bytes(spoiled)
    assert "made again: 1 of 2 specs size" == generated(checkout)


# --- inside ---


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "specs")


def plain(operator: OperatorCorpus) -> list[tuple[object, ...]]:
    return [(made.listed, made.place, dict(made.files), made.excerpt) for made in operator.vectors]


def test_what_is_kept_is_what_was_made(specs: Path, tmp_path: Path) -> None:
    made = make_operator(specs, "reshape", "standard")
    Kept(tmp_path / "kept", specs, "standard").keep(made)
    again = Kept(tmp_path / "kept", specs, "standard")
    assert again.has("reshape")
    kept = again.operator("reshape")
    assert kept.kept
    assert plain(made) == plain(kept)
    assert (made.coverage, made.requirements) == (kept.coverage, kept.requirements)


def test_a_line_of_the_lock_is_a_dependency(specs: Path) -> None:
    before = Dependencies(specs, "standard").of("reshape")
    lines = [item.listed for corpus in make_corpus(specs) for item in corpus.vectors]
    digests = [before]
    for listed in (lines, lines[1:]):
        for name, written in manifests(plan_corpus(specs).facts, "standard", listed).items():
            path = lock_folder(specs) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written)
        digests.append(Dependencies(specs, "standard").of("reshape"))
    assert 3 == len(set(digests))


def test_what_was_made_while_a_file_changed_is_not_kept(specs: Path, tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept", specs, "standard")
    assert not kept.has("reshape")
    write_specs(specs, RESHAPE + "# another\n")
    kept.keep(make_operator(specs, "reshape", "standard"))
    write_specs(specs)
    assert not Kept(tmp_path / "kept", specs, "standard").has("reshape")


def test_proposals_are_made_where_none_were_kept(specs: Path, tmp_path: Path) -> None:
    Kept(tmp_path / "kept", specs, "standard").keep(make_operator(specs, "reshape", "standard"))
    assert not Kept(tmp_path / "kept", specs, "standard", propose=True).has("reshape")


def test_a_writer_that_ended_is_believed_and_one_that_did_not_is_not(tmp_path: Path) -> None:
    place, files = "valid/size-1/test_one", {"data.json": b"{}", "model.onnx": b"model"}

    def write(*, ends: bool = True, noting: bool = True) -> tuple[int, int]:
        with CorpusWriter(tmp_path / "vectors", noting=noting) as writer:
            if not ends:
                return 0, 0
            writer.add(place, files, digest(files))
            written = writer.finish({})
        return written.changed, written.unchanged

    write()
    data = tmp_path / "vectors" / place / "data.json"
    data.write_bytes(b"other")
    assert (0, 1) == write()
    write(ends=False)
    assert (1, 0) == write()
    write(noting=False)
    data.write_bytes(b"other")
    assert (1, 0) == write()
