"""ONNX releases an opset, played on a copy: docs/new-opset.md.

Clip has one more type, Elu one more attribute, and there is a new operator. Nothing that stood is
lost or changes a byte, and what is missing is said in one line each.
"""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from sample_specs import REAL, write_real

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.listing.releases import (
    RELEASES_FILE,
    Release,
    digest_of_release,
    releases_content,
)
from onnx_conformance.generators.corpus.lock import lock_beside, lock_folder
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.parallel import make_corpus
from onnx_conformance.generators.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed

KNOWN = ("Clip", "Elu")
TYPE, ATTRIBUTE, OPERATOR = "float8e4m3fn", "leak", "Unheard"


def call(specs: Path, command: str, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        arguments = [command, "--jobs", "1", "--specs", str(specs), *words]
        code = dispatch("onnx-vectors", "", COMMANDS, arguments, ())
    return code, out.getvalue(), err.getvalue()


def listed(specs: Path) -> dict[str, Listed]:
    lock = lock_beside(specs)
    assert lock is not None
    return {line.id: line for line in lock.lines()}


def release(specs: Path) -> None:
    """Release what the corpus has, and work on the next version."""
    path = specs / "corpus.yaml"
    text = path.read_text("utf-8")
    version = text.split('version: "')[1].split('"')[0]
    lines = [(line.id, line.digest) for line in listed(specs).values()]
    found = Release(version, "2026-11-23", len(lines), digest_of_release(lines))
    (lock_folder(specs) / RELEASES_FILE).write_bytes(releases_content([found]))
    path.write_text(text.replace(f'version: "{version}"', 'version: "9.0.0"'), "utf-8")


def take_over_new_schemas(specs: Path) -> None:
    """What a snapshot of the next onnx would change."""
    path = specs / "schemas.json"
    document = json.loads(path.read_bytes())
    operators = document["operators"][""]
    clip, elu = operators["Clip"], operators["Elu"]
    clip["29"] = {**clip["13"], "types": {"T": [*document["types"]["Abs-13.T"], TYPE]}}
    elu["29"] = {
        **elu["22"],
        "attributes": {"alpha": "float", ATTRIBUTE: "float"},
        "defaults": {"alpha": 1.0, ATTRIBUTE: 0.0},
    }
    operators[OPERATOR] = {"29": elu["22"]}
    document["opsets"][""] = 29
    path.write_text(json.dumps(document), "utf-8")
    facts = specs / "corpus.yaml"
    text = facts.read_text("utf-8")
    assert "newest_opset: 28" in text
    facts.write_text(text.replace("newest_opset: 28", "newest_opset: 29"), "utf-8")


@dataclass(frozen=True)
class Played:
    """A copy before and after the new opset.

    Attributes:
        specs: the folder of the specs, after it.
        before: what the lock had before.
        planned, lost: the ids that are planned after it and before anything is admitted, and what
            is missing.
        differing: ids of vectors that come out otherwise then.
        admitted: what `admit --write` printed.
        checked: what `check` said in the end.
    """

    specs: Path
    before: dict[str, Listed]
    planned: frozenset[str]
    lost: tuple[str, ...]
    differing: tuple[str, ...]
    admitted: str
    checked: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    specs = tmp_path_factory.mktemp("opset") / "specs"
    texts = {name.lower(): (REAL / f"{name.lower()}.yaml").read_text("utf-8") for name in KNOWN}
    write_real(specs, **texts)
    path = specs / "schemas.json"
    document = json.loads(path.read_bytes())
    document["operators"] = {"": {name: document["operators"][""][name] for name in KNOWN}}
    path.write_text(json.dumps(document), "utf-8")
    assert 0 == call(specs, "admit", "--write")[0]
    release(specs)
    before = listed(specs)
    take_over_new_schemas(specs)
    corpus = plan_corpus(specs)
    made = [vector for operator in make_corpus(specs) for vector in operator.vectors]
    code, admitted, _ = call(specs, "admit", "--write")
    assert 0 == code
    return Played(
        specs,
        before,
        frozenset(plan.id for plan in corpus.plans),
        corpus.lost,
        tuple(vector.listed.id for vector in made if vector.differs),
        admitted,
        call(specs, "check", "--output", str(specs.parent / "vectors"))[2],
    )


def test_no_id_vanishes(played: Played) -> None:
    assert () == played.lost
    assert played.before.keys() == played.planned
    assert played.before.keys() <= listed(played.specs).keys()


def test_no_byte_of_an_old_vector_changes(played: Played) -> None:
    assert () == played.differing
    assert played.before == {name: listed(played.specs)[name] for name in played.before}


def test_the_last_opset_of_before_stays_beside_the_new_one(played: Played) -> None:
    after = listed(played.specs)
    assert [name for name in after if name.startswith("clip-13/") and name.endswith(".opset28")]


def test_the_bumped_operators_get_vectors_in_the_next_release(played: Played) -> None:
    added = {name: line for name, line in listed(played.specs).items() if name not in played.before}
    assert {"clip-29", "elu-29"} <= {line.operator_version for line in added.values()}
    assert {"9.0.0"} == {line.since for line in added.values()}
    assert [name for name in added if name.startswith("clip-29/") and name.endswith(f"/{TYPE}")]
    assert "clip-29: " in played.admitted


def test_an_attribute_that_the_oracle_does_not_know_is_one_line(played: Played) -> None:
    (line,) = [line for line in played.checked.splitlines() if ATTRIBUTE in line]
    expected = "Elu-29 has no vector with another 'leak' than its default 0.0, which its oracle"
    assert line.startswith(f"onnx-vectors: {played.specs}/elu.yaml: {expected} does not know")


def test_an_operator_without_a_spec_is_one_line(played: Played) -> None:
    expected = (
        f"onnx-vectors: {played.specs}/schemas.json: {OPERATOR} has no spec; `onnx-vectors new"
        f" {OPERATOR}` writes its skeleton"
    )
    assert 1 == played.checked.splitlines().count(expected)
