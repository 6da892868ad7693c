"""Operators that draw, run on their vectors: a seed that is ignored fails for certain.

There are two ways to ignore a seed: to draw anew each time, and to draw the same each time. No
luck is in the second. The first escapes where two draws happen to be equal: 2,048 ones and zeros of
even chance, the least that these vectors have of it, with a chance of 2^-2048.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from generated import generated
from strength.trying.judged_vectors import JudgedVectors

from onnx_conformance.generators.oracle.registry import Call, compute
from onnx_conformance.validator.judging.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.generators.oracle.registry import Result

NAMES = (
    "Bernoulli",
    "Dropout",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two vectors of each operator that draws: with one seed for two nodes, and with two."""
    patterns = [f"{name.lower()}-22/seed/float32.*_seed" for name in NAMES]
    return generated(tmp_path_factory, "seeded", *patterns)


def _verdicts(vectors: Path, name: str, answer: Callable[[Call], Result]) -> dict[str, Verdict]:
    evidence = JudgedVectors(vectors, "", name)
    return {
        identity.rpartition(".")[2]: evidence.verdict(identity, answer).verdict
        for identity in evidence.by_id
    }


def _seeded(call: Call, seed: float) -> Result:
    kind = type(call.attributes["seed"])
    return compute(replace(call, attributes={**call.attributes, "seed": kind(seed)}))


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_that_is_obeyed_passes(vectors: Path, name: str) -> None:
    expected = {"same_seed": Verdict.PASS, "other_seed": Verdict.PASS}
    assert expected == _verdicts(vectors, name, compute)


@pytest.mark.parametrize("name", NAMES)
def test_draws_that_are_new_each_time_fail_by_two_nodes_with_one_seed(
    vectors: Path, name: str
) -> None:
    times = count()
    found = _verdicts(vectors, name, lambda call: _seeded(call, float(next(times))))
    assert {"same_seed": Verdict.WRONG_VALUE, "other_seed": Verdict.PASS} == found


@pytest.mark.parametrize("name", NAMES)
def test_draws_that_are_the_same_each_time_fail_by_two_seeds(vectors: Path, name: str) -> None:
    found = _verdicts(vectors, name, lambda call: _seeded(call, 0.0))
    assert {"same_seed": Verdict.PASS, "other_seed": Verdict.WRONG_VALUE} == found
