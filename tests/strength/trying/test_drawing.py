"""Mutants of operators that draw: told apart by the laws of a draw, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from generated import generated
from strength.mutants.mutant import all_mutants
from strength.trying.drawing import DrawnTrial, Lawful, draws
from strength.trying.judged_vectors import JudgedVectors
from strength.trying.measuring import Effort, measure
from strength.trying.status import Status

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from pathlib import Path


def _drawn(seed: float, **attributes: float) -> Drawn:
    given = {"low": 0.0, "high": 1.0, "shape": (600,), "dtype": 1, "seed": seed, **attributes}
    (result,) = compute(Call(22, given, {}, "RandomUniform"))
    assert isinstance(result, Drawn)
    return result


def test_any_draw_of_the_distribution_is_the_same() -> None:
    lawful = Lawful(_drawn(1.0))
    other = _drawn(2.0)
    assert lawful.drawn != other
    assert lawful == other


def test_a_draw_of_another_distribution_differs() -> None:
    lawful = Lawful(_drawn(1.0))
    assert lawful != _drawn(1.0, high=0.5)
    assert lawful != _drawn(1.0, low=-1.0)


def test_a_draw_of_another_shape_or_type_differs() -> None:
    drawn = _drawn(1.0)
    assert Lawful(drawn) != Tensor("float32", (2, 300), drawn.data)
    assert Lawful(drawn) != Tensor("int32", (600,), drawn.data)


def test_nothing_but_a_tensor_is_a_draw() -> None:
    assert Lawful(_drawn(1.0)) != "a draw"


def test_operators_that_draw_are_known() -> None:
    names = ("RandomUniform", "RandomUniformLike", "RandomNormal", "RandomNormalLike")
    assert all(draws("", name) for name in (*names, "Bernoulli", "Dropout", "Multinomial"))
    assert not draws("", "Add")
    assert not draws("ai.onnx.ml", "Bernoulli")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few vectors of RandomUniform."""
    return generated(tmp_path_factory, "drawn", "randomuniform-22/*/float32")


@pytest.mark.slow
def test_another_draw_is_alike_and_a_wrong_one_is_killed(vectors: Path) -> None:
    signatures = installed_signatures().versions("", "RandomUniform")
    by_number = {item.since_version: item for item in signatures}
    trial = DrawnTrial(JudgedVectors(vectors, "", "RandomUniform"), by_number, 30)
    mutants = list(all_mutants("", "RandomUniform", trial.recall))
    assert mutants

    def seeded(call: Call) -> object:
        seed = call.float_attribute("seed", 0.0) + 1
        return compute(replace(call, attributes={**call.attributes, "seed": seed}))

    def halved(call: Call) -> object:
        low, high = call.float_attribute("low"), call.float_attribute("high")
        return compute(replace(call, attributes={**call.attributes, "high": (low + high) / 2}))

    for answer, status in ((seeded, Status.EQUIVALENT), (halved, Status.KILLED)):
        mutant = replace(mutants[0], in_call=False, make=lambda answer=answer: answer)
        assert trial.begun(mutant).finding.status is status
    assert not trial.failures


def test_a_folder_without_the_operator_is_an_error(vectors: Path) -> None:
    with pytest.raises(IncompleteError, match="no vector of Bernoulli"):
        measure("", "Bernoulli", vectors, Effort())
