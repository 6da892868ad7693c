"""Mutants that arrange before real vectors: what survives where the data cannot tell."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from strength.__main__ import main
from strength.arranging.data import plain_data
from strength.arranging.evidence import Asked, Remembered, changes
from strength.arranging.measuring import Arranged, measure
from strength.arranging.running import measure_each
from strength.trying.status import Status

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = "arranged: axis 1 of all inputs tiled up to that of the largest"


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of grouped heads, and of what broadcasts ones."""
    folder = tmp_path_factory.mktemp("arranged")
    patterns = ["attention-25/heads_grouped/*", "sub-14/shape_2x3/*", "sub-14/broadcast_*/*"]
    command = [sys.executable, "-m", "onnx_conformance.generators.main", "generate", "--jobs", "1"]
    subprocess.run(
        [*command, "--output", str(folder), *patterns],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder


@pytest.fixture(scope="module")
def sub(vectors: Path) -> Arranged:
    return measure("", "Sub", vectors)


def status_of(found: Arranged, name: str) -> Status:
    return next(item.status for item in found.findings if item.name == name)


@pytest.mark.slow
def test_heads_that_are_tiled_and_not_repeated_are_noticed(vectors: Path) -> None:
    found = next(it for it in measure("", "Attention", vectors).findings if it.name == GROUPS)
    assert (Status.KILLED, "attention-25/heads_grouped/float32") == (found.status, found.by)


def test_exchanged_inputs_are_noticed(sub: Arranged) -> None:
    assert Status.KILLED is status_of(sub, "arranged: inputs 'A' and 'B' exchanged")


def test_what_only_a_call_at_random_tells_survives_with_the_call(sub: Arranged) -> None:
    name = "arranged: output 'C', axes 0 and 1 exchanged where they are equal"
    found = next(item for item in sub.findings if item.name == name)
    assert (Status.SURVIVED, "version ") == (found.status, found.by[:8])


def test_a_default_that_has_no_other_version_makes_no_mutant(sub: Arranged) -> None:
    assert not [item.name for item in sub.findings if "default of" in item.name]


@pytest.mark.slow
def test_several_operators_are_measured_as_one_is(vectors: Path, sub: Arranged) -> None:
    assert [sub, sub] == list(measure_each([("", "Sub"), ("", "Sub")], vectors, jobs=2))


def test_a_call_that_the_oracle_refuses_and_a_mutant_too_is_not_changed() -> None:
    inputs = {"A": Tensor("int8", (2,), b"12"), "B": Tensor("int8", (3,), b"123")}
    call = Call(14, {}, inputs, operator="Add", types={"T": "int8"})
    nobody: Any = None
    asked = Asked("add-14/mismatch/int8", nobody, (call,), Remembered())
    assert not changes(asked, compute, 1.0)


def test_an_operator_without_vectors_is_an_error(vectors: Path) -> None:
    with pytest.raises(IncompleteError, match="no vector of Relu"):
        measure("", "Relu", vectors)


def test_the_command_names_what_survives(
    vectors: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["strength", "arrangements", "--operator", "Sub", "--vectors", str(vectors)]
    monkeypatch.setattr(sys, "argv", words)
    code = main()
    assert (1, True) == (code, "SURVIVED arranged: output 'C', axes 0" in capsys.readouterr().out)


def test_data_that_are_equal_along_an_axis_are_named(vectors: Path) -> None:
    entries = open_corpus(vectors).entries
    found = next(iter(plain_data([entries["attention-25/heads_grouped/float32"]])))
    assert (("Q is all zero",), ("Y is equal along axis 2",)) == (found.inputs, found.outputs)


def test_data_that_differ_everywhere_are_not_named(vectors: Path) -> None:
    entries = open_corpus(vectors).entries
    assert [] == list(plain_data([entries["sub-14/shape_2x3/float32"]]))
