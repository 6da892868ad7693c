"""The recipe of docs/specs.md, followed for Squeeze: what its older versions and its forms need.

It has what the three operators together do not: an optional input that was an attribute once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import SPECS
from planned_files import write_corpus
from written_oracles import written_oracle

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.generators.corpus.coverage.operators import operator_gaps
from onnx_conformance.generators.corpus.making import build_all, plan_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan

ORACLE = """
@oracle("Squeeze")
def squeeze(call):
    data = call.grid("data")
    rank = len(data.shape)
    if call.has("axes"):
        axes = call.integers("axes")
    else:
        ones = [axis for axis, size in enumerate(data.shape) if size == 1]
        axes = call.ints_attribute("axes", tuple(ones))
    if any(not -rank <= axis < rank for axis in axes):
        raise InvalidCallError(f"an axis outside the rank in {list(axes)}")
    removed = {axis % rank for axis in axes}
    if any(data.shape[axis] != 1 for axis in removed):
        raise InvalidCallError(f"an axis of {list(axes)} has not size 1")
    shape = tuple(size for axis, size in enumerate(data.shape) if axis not in removed)
    return (Grid(data.type, shape, data.items),)
"""

SPEC = """\
operator: Squeeze
roles: {squeezed: elements of data}

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
    spread: [everywhere, types]
    inputs: {data: [1, 3, 1], axes: [0]}
    outputs: {squeezed: [3, 1]}
  - id: presented
    covers: [removes-axes]
    spread: [everywhere, forms]
    inputs: {data: [2, 1, 3], axes: [1]}
    outputs: {squeezed: [2, 3]}
  - id: no_axes
    covers: [without-axes]
    spread: versions
    forms: [static, produced, if_branch, twice, unknown_rank]
    inputs: {data: [1, 3, 1]}
    outputs: {squeezed: [3]}
  - id: last
    covers: [negative-axes]
    spread: everywhere
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
def corpus(tmp_path: Path) -> Iterator[CorpusPlan]:
    specs = tmp_path / "specs"
    specs.mkdir()
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        (specs / name).write_bytes((SPECS / name).read_bytes())
    (specs / "squeeze.yaml").write_text(SPEC)
    with written_oracle(tmp_path / "oracles", ORACLE):
        yield plan_corpus(specs)


def test_it_has_every_version_type_and_form_without_further_code(corpus: CorpusPlan) -> None:
    counts = Counter((plan.version.since_version, plan.case.id) for plan in corpus.plans)
    assert [1, 11, 13, 21, 23, 24, 25] == sorted({version for version, _ in counts})
    assert 26 + 1 == counts[25, "first"]
    forms = {plan.form for plan in corpus.plans}
    assert {"initializer", "from_concat", "loop_body", "function", "chained"} <= forms


def test_it_has_no_gap(corpus: CorpusPlan) -> None:
    assert [] == list(operator_gaps(corpus.specs[0], corpus.plans))


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


def test_it_is_written_and_read_like_the_others(corpus: CorpusPlan, tmp_path: Path) -> None:
    root = tmp_path / "vectors"
    write_corpus(corpus, root)
    found = {load(entry).vector.id for entry in open_corpus(root).entries.values()}
    assert {plan.id for plan in corpus.plans} == found
