"""The recipe of docs/specs.md, followed for an operator that has no spec: Squeeze.

It has what the three operators together do not: an optional input that was an attribute once.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import SPECS
from onnx_conformance.generators.specs.schema_check import check_against_schemas

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.generators import oracle
from onnx_conformance.generators.corpus.coverage import gaps
from onnx_conformance.generators.corpus.making import ask_witnesses, build_all, plan_corpus
from onnx_conformance.generators.corpus.writing import corpus_differences, write_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan

ORACLE = '''\
"""Squeeze 1 to 25. Source: the Squeeze page, Summary and Inputs."""

from onnx_conformance.generators.oracle import InvalidCallError
from onnx_conformance.generators.oracle.integers import int64_values
from onnx_conformance.core.values.tensors import Tensor


def evaluate(call):
    data = call.inputs["data"]
    rank = len(data.shape)
    if "axes" in call.inputs:
        axes = int64_values(call.inputs["axes"])
    else:
        ones = [axis for axis, size in enumerate(data.shape) if size == 1]
        axes = call.attributes.get("axes", tuple(ones))
    if any(not -rank <= axis < rank for axis in axes):
        raise InvalidCallError(f"an axis outside the rank in {list(axes)}")
    removed = {axis % rank for axis in axes}
    if any(data.shape[axis] != 1 for axis in removed):
        raise InvalidCallError(f"an axis of {list(axes)} has not size 1")
    shape = tuple(size for axis, size in enumerate(data.shape) if axis not in removed)
    return (Tensor(data.type, shape, data.data),)
'''

SPEC = """\
operator: Squeeze
default_type: float32

versions:
  1:
    types: {T: all_ir3}
    inputs: {data: T}
    outputs: {squeezed: {type: T, elements: data}}
    attributes: {axes: ints}
  11: {}
  13:
    types: {T: all_ir4}
    inputs: {data: T, axes: {type: int64, optional: true}}
    attributes: {}
  21: {types: {T: all_ir10}}
  23: {types: {T: all_ir11}}
  24: {types: {T: all_ir12}}
  25: {types: {T: all_ir13}}

requirements:
  - id: removes-axes
    text: The axes that are listed are removed.
    source: {document: Squeeze-13, part: Summary}
  - id: without-axes
    text: Without axes every dimension of 1 is removed.
    source: {document: Squeeze-13, part: Summary}
  - id: negative-axes
    since: 11
    text: A negative axis counts from the back.
    source: {document: Squeeze-11, part: Attributes}
  - id: only-ones
    text: An axis whose dimension is not 1 cannot be removed.
    source: {document: Squeeze-13, part: Summary}

cases:
  - id: first
    covers: [removes-axes]
    sweep: [types]
    inputs: {data: [1, 3, 1], axes: [0]}
    outputs: {squeezed: [3, 1]}
  - id: presented
    covers: [removes-axes]
    sweep: [forms]
    inputs: {data: [2, 1, 3], axes: [1]}
    outputs: {squeezed: [2, 3]}
  - id: no_axes
    covers: [without-axes]
    forms: [static, produced, if_branch, twice, unknown_rank]
    inputs: {data: [1, 3, 1]}
    outputs: {squeezed: [3]}
  - id: last
    covers: [negative-axes]
    inputs: {data: [1, 3, 1], axes: [-1]}
    outputs: {squeezed: [1, 3]}

invalid:
  - id: three
    covers: [only-ones]
    inputs: {data: [1, 3, 1], axes: [1]}
    control: first
    reject: run
"""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CorpusPlan]:
    specs, oracles = tmp_path / "specs", tmp_path / "oracles"
    for folder in (specs, oracles):
        folder.mkdir()
    for name in ("types.yaml", "corpus.yaml"):
        (specs / name).write_bytes((SPECS / name).read_bytes())
    (specs / "squeeze.yaml").write_text(SPEC)
    (oracles / "squeeze.py").write_text(ORACLE)
    monkeypatch.setattr(oracle, "__path__", [*oracle.__path__, str(oracles)])
    yield plan_corpus(specs)
    sys.modules.pop(f"{oracle.__name__}.squeeze", None)


def test_its_table_is_held_against_the_schemas(corpus: CorpusPlan) -> None:
    check_against_schemas(corpus.specs)


def test_it_has_every_version_type_and_form_without_further_code(corpus: CorpusPlan) -> None:
    counts = Counter((plan.version.since_version, plan.case.id) for plan in corpus.plans)
    assert [1, 11, 13, 21, 23, 24, 25] == sorted({version for version, _ in counts})
    assert 26 + 1 == counts[25, "first"]
    forms = {plan.form for plan in corpus.plans}
    assert {"initializer", "from_concat", "loop_body", "function", "chained"} <= forms


def test_it_has_no_gap(corpus: CorpusPlan) -> None:
    assert [] == list(gaps(corpus))


def test_an_input_that_was_an_attribute_is_one_there(corpus: CorpusPlan) -> None:
    nodes = {
        built.vector.id: built.model.graph.node[0]
        for built in build_all(corpus)
        if built.vector.form == "static"
    }
    assert ["axes"] == [item.name for item in nodes["squeeze-11/last/float32"].attribute]
    assert ["data", "axes"] == list(nodes["squeeze-13/last/float32"].input)
    assert ["data"] == list(nodes["squeeze-13/no_axes/float32"].input)


def test_the_checker_accepts_its_valid_vectors(corpus: CorpusPlan) -> None:
    for built in build_all(corpus):
        if built.vector.kind == "valid":
            onnx.checker.check_model(built.model, full_check=True)


def test_its_witnesses_have_nothing_to_say(corpus: CorpusPlan) -> None:
    ask_witnesses(corpus)


def test_it_is_written_and_read_like_the_others(corpus: CorpusPlan, tmp_path: Path) -> None:
    root = tmp_path / "vectors"
    write_corpus(corpus, root)
    assert [] == list(corpus_differences(corpus, root))
    found = {load(entry).vector.id for entry in open_corpus(root).entries.values()}
    assert {plan.id for plan in corpus.plans} == found
