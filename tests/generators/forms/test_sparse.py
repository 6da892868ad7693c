"""Sparse tensors as attributes: written as the dense tensor that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import pytest
from onnx import numpy_helper
from sample_specs import read_real

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.corpus.building import build
from onnx_conformance.generators.forms.sparse import sparse_proto
from onnx_conformance.generators.interpreter.reading import read_graph
from onnx_conformance.generators.planning.expansion import STANDARD, plans

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
operator: Constant
requirements:
  - id: sparse-value
    since: 11
    text: The output is the tensor that the sparse value stands for.
    source: {document: Constant-13, part: Attributes}
cases:
  - id: two_values
    covers: [sparse-value]
    spread: everywhere
    attributes: {sparse_value: {values: [[0.0, 1.5, 0.0], [-0.0, 0.0, 2.0]], type: float32}}
    outputs: {output: {values: [[0.0, 1.5, 0.0], [-0.0, 0.0, 2.0]]}}
  - id: nothing
    covers: [sparse-value]
    since: 11
    types: {T: int8}
    attributes: {sparse_value: {values: [0, 0], type: int8}}
"""


def test_a_case_may_give_one_and_the_model_holds_it(tmp_path: Path) -> None:
    facts, spec = read_real(tmp_path, SPEC)
    planned = plans(spec, facts, STANDARD)
    assert {"two_values", "nothing"} == {plan.case.id for plan in planned}
    for plan in planned:
        built = build(plan, facts)
        onnx.checker.check_model(built.model, full_check=True)
        if plan.form != "static":
            continue
        (attribute,) = built.model.graph.node[0].attribute
        assert onnx.AttributeProto.SPARSE_TENSOR == attribute.type
        if plan.case.id == "two_values":
            proto = attribute.sparse_tensor
            places = numpy_helper.to_array(proto.indices).tolist()
            assert ([2, 3], [1, 3, 5]) == (list(proto.dims), places)


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor("float16", (2, 2), bytes([0, 0, 1, 60, 0, 128, 0, 0])),
        Tensor("int4", (3,), bytes([0x10, 0x0F])),
        Tensor("string", (3,), (b"", b"a", b"")),
        Tensor("int64", (2, 0), b""),
        Tensor("bool", (), b"\x01"),
    ],
)
def test_what_is_read_again_is_the_dense_tensor(tensor: Tensor) -> None:
    node = onnx.helper.make_node("Constant", [], ["y"], sparse_value=sparse_proto(tensor, "x"))
    graph = read_graph(onnx.helper.make_graph([node], "g", [], []))
    assert [tensor] == [item.value for item in graph.nodes[0].attributes]


def test_one_without_a_type_or_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="attribute 'sparse_value' is a tensor"):
        read_real(tmp_path, SPEC.replace("[0, 0], type: int8", "[0, 0]"))
    written = "{sparse_value: {values: [[0.0, 1.5, 0.0], [-0.0, 0.0, 2.0]], type: float32}}"
    assert written in SPEC
    with pytest.raises(BadInputError, match="a mapping is needed here"):
        read_real(tmp_path, SPEC.replace(written, "{sparse_value: [[1]]}"))
