"""The standard's function bodies as a witness of the expected values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import onnx
import pytest
from places import ROOT

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.values.tensors import NamedValue
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.outcomes import NoOracleError, RefusedError
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.witnesses.by_bodies import BodySession
from onnx_conformance.validator.judging.judge import judge
from onnx_conformance.validator.judging.verdicts import Judgement, Outputs, Verdict

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus

EXCERPT = ROOT / "vectors"


@cache
def excerpt() -> Corpus:
    """The vectors that are kept in git."""
    return open_corpus(EXCERPT)


@cache
def judged(identity: str) -> Judgement | None:
    """What the judge says of a valid vector run by function bodies; None where it has none."""
    loaded = load(excerpt().entries[identity])
    model = read_model(onnx.ModelProto.FromString(loaded.files["model.onnx"]))
    try:
        session = BodySession(model, installed_signatures())
        data_sets = data_sets_of(loaded.vector, loaded.files, identity)
        results = []
        for data_set in data_sets:
            outputs = session.run({item.name: item.value for item in data_set.inputs})
            results.append(tuple(NamedValue(name, outputs[name]) for name in loaded.vector.outputs))
    except (NoOracleError, RefusedError):
        return None  # a body that gives one of its outputs no value is no witness
    return judge(loaded.vector, data_sets, {}, Outputs(tuple(results)))


def test_function_bodies_give_the_expected_values_of_the_core() -> None:
    # The body of Bernoulli draws 1 with probability 1 - p: docs/findings/bernoulli.md.
    ids = [
        name
        for name, entry in excerpt().entries.items()
        if entry.kind == "valid" and not name.startswith("bernoulli-")
    ]
    found = {name: judgement for name in ids if (judgement := judged(name)) is not None}
    assert len(found) >= 20
    wrong = {name: item.message for name, item in found.items() if item.verdict is not Verdict.PASS}
    assert {} == wrong


def test_a_vector_without_a_function_body_shows_nothing() -> None:
    (identity,) = [name for name in excerpt().entries if name == "size-25/example/float32"]
    assert judged(identity) is None


@pytest.mark.parametrize("operator", ["relu", "lessorequal"])
def test_bodies_of_several_operators_are_asked(operator: str) -> None:
    ids = [
        name
        for name, entry in excerpt().entries.items()
        if name.startswith(f"{operator}-") and entry.kind == "valid"
    ]
    assert any(judged(name) is not None for name in ids)
