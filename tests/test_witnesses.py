from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import built
from onnx import helper
from sample_specs import RESHAPE, changed, line_of, plan_sample

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.corpus.making import ask_witnesses
from onnx_conformance.generators.corpus.witnesses import (
    Disagreement,
    disagreements,
    require_rulings,
    unruled,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.generators.corpus.building import Built

PLAIN = "shape-25/page_start_minus_1/float32"
INVALID = "shape-25/unknown_attribute/float32"
INITIALIZER = "reshape-25/presented_literal/float32.initializer"
LATITUDE = "reshape-25/allowzero_2/float32"


def said(built_: Built) -> dict[str, str]:
    return {item.witness: item.says for item in disagreements(built_)}


def with_model(built_: Built, change: Callable[[onnx.ModelProto], object]) -> Built:
    model = onnx.ModelProto()
    model.CopyFrom(built_.model)
    change(model)
    return replace(built_, model=model)


def with_output(built_: Built, tensor: Tensor) -> Built:
    (data_set,) = built_.data_sets
    outputs = (NamedValue(data_set.outputs[0].name, tensor),)
    return replace(built_, data_sets=(DataSet(data_set.inputs, outputs),))


def int64(*values: int) -> Tensor:
    data = b"".join(value.to_bytes(8, "little") for value in values)
    return Tensor("int64", (len(values),), data)


# --- what the witnesses say ---


def test_nobody_disagrees_with_a_plain_vector() -> None:
    assert {} == said(built(PLAIN))


def test_a_wrong_element_is_noticed_by_the_reference() -> None:
    found = said(with_output(built(PLAIN), int64(5)))
    assert ["reference"] == list(found)
    assert found["reference"].startswith("shape: expected ")


def test_a_wrong_shape_is_noticed_by_inference_and_the_reference() -> None:
    found = said(with_output(built(PLAIN), int64(3, 4)))
    assert "infers shape [1] for shape, not [2]" == found["inference"]
    assert found["reference"].startswith("shape: expected ")


def test_a_wrong_type_is_noticed_by_inference_and_the_reference() -> None:
    found = said(with_output(built(PLAIN), Tensor("int32", (1,), bytes(4))))
    assert "infers TensorProto.INT64 for shape" == found["inference"]
    assert "reference" in found


def test_a_model_that_the_checker_refuses_is_noticed() -> None:
    def misspell(model: onnx.ModelProto) -> None:
        model.graph.node[0].op_type = "Shap"

    found = said(with_model(built(PLAIN), misspell))
    assert {"checker", "reference"} == set(found)
    assert found["checker"].startswith("refuses the model: No Op registered for Shap")
    assert found["reference"].startswith("raises ")


def test_a_model_that_inference_refuses_is_noticed() -> None:
    def ask_for_what_does_not_divide(model: onnx.ModelProto) -> None:
        model.graph.initializer[0].raw_data = (5).to_bytes(8, "little") * 2 + b"\xff" * 8

    found = said(with_model(built(INITIALIZER), ask_for_what_does_not_divide))
    assert found["inference"].startswith("refuses the model: ")


def test_a_result_that_is_no_tensor_is_noticed() -> None:
    def wrap(model: onnx.ModelProto) -> None:
        model.graph.node[0].output[0] = "inner"
        model.graph.node.append(helper.make_node("SequenceConstruct", ["inner"], ["shape"]))

    assert "shape: a list, which is no tensor" == said(with_model(built(PLAIN), wrap))["reference"]


def test_each_data_set_is_looked_at() -> None:
    several = built("shape-25/several_shapes/float32.data_sets")
    first, second, *others = several.data_sets
    wrong = DataSet(second.inputs, first.outputs)
    found = said(replace(several, data_sets=(first, wrong, *others)))
    assert ["reference"] == list(found)


def test_an_invalid_vector_must_be_refused_by_the_checker_and_not_be_computed() -> None:
    def mend(model: onnx.ModelProto) -> None:
        del model.graph.node[0].attribute[:]

    assert {} == said(built(INVALID))
    expected = {"checker": "accepts the model", "reference": "computes a result"}
    assert expected == said(with_model(built(INVALID), mend))


def test_the_checker_is_not_asked_about_what_only_a_run_can_show() -> None:
    late = replace(built(INVALID), vector=replace(built(INVALID).vector, reject="run"))

    def mend(model: onnx.ModelProto) -> None:
        del model.graph.node[0].attribute[:]

    assert {"reference": "computes a result"} == said(with_model(late, mend))


def test_nobody_is_asked_about_latitude() -> None:
    assert () == disagreements(built(LATITUDE))


# --- rulings ---

SAYS_NOTHING = "No implementation for operator 'Reshape'"


def problems(folder: Path, text: str, found: list[Disagreement] | None = None) -> tuple[str, ...]:
    """What remains to be ruled where the witnesses say `found`, or what they really say."""
    corpus = plan_sample(folder, text)
    if found is None:
        try:
            ask_witnesses(corpus)
        except BadInputError as error:
            head, *lines = str(error).split("\n  ")
            assert "witnesses disagree with the specs:" == head
            return tuple(lines)
        return ()
    return unruled(corpus.specs, [plan.id for plan in corpus.plans], found)


def test_what_is_ruled_is_no_problem(tmp_path: Path) -> None:
    assert () == problems(tmp_path, RESHAPE)


def test_a_disagreement_without_a_ruling_is_a_problem(tmp_path: Path) -> None:
    start = RESHAPE.index("  - id: reference-ignores-shape-type")
    text = RESHAPE[:start] + RESHAPE[RESHAPE.index("\nwithdrawn:") :]
    expected = tuple(
        f"reshape-{version}/shape_is_int32/float32: the reference computes a result; mend the"
        " spec, or record a ruling"
        for version in (5, 14)
    )
    assert expected == problems(tmp_path, text)


def test_a_ruling_covers_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    found = [
        Disagreement("reference", "reshape-1/two_dims/float32", "returns something else"),
        Disagreement("reference", "reshape-1/two_dims/float64", SAYS_NOTHING),
        Disagreement("reference", "reshape-5/shape_is_int32/float32", "computes a result"),
    ]
    expected = (
        "reshape-1/two_dims/float32: the reference returns something else; mend the spec, or"
        " record a ruling"
    )
    assert (expected,) == problems(tmp_path, RESHAPE, found)


def test_a_ruling_covers_its_own_witness_alone(tmp_path: Path) -> None:
    found = [
        Disagreement("inference", "reshape-1/two_dims/float32", SAYS_NOTHING),
        Disagreement("reference", "reshape-1/two_dims/float32", SAYS_NOTHING),
        Disagreement("reference", "reshape-5/shape_is_int32/float32", "computes a result"),
    ]
    (problem,) = problems(tmp_path, RESHAPE, found)
    assert problem.startswith("reshape-1/two_dims/float32: the inference No implementation")


def test_a_ruling_that_nothing_needs_is_a_problem(tmp_path: Path) -> None:
    text = changed("vectors: [reshape-1/*]", "vectors: [reshape-1/*, reshape-5/two_dims]")
    expected = (
        f"{tmp_path}/reshape.yaml:{line_of('- id: reference-has', text)}: ruling"
        " 'reference-has-no-version-1': the reference does not say"
        f" '{SAYS_NOTHING}' of any vector in 'reshape-5/two_dims'; remove the pattern"
    )
    assert (expected,) == problems(tmp_path, text)


def test_a_ruling_about_vectors_that_do_not_exist_is_a_problem(tmp_path: Path) -> None:
    text = changed("vectors: [reshape-1/*]", "vectors: [reshape-1/*, reshape-7/*]")
    (problem,) = problems(tmp_path, text)
    assert problem.endswith("of any vector in 'reshape-7/*'; remove the pattern")


def test_of_many_problems_the_first_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    corpus = plan_sample(tmp_path)
    ids = [plan.id for plan in corpus.plans]
    found = [Disagreement("checker", item, "accepts the model") for item in ids]
    with pytest.raises(BadInputError) as caught:
        require_rulings(corpus.specs, ids, found)
    lines = str(caught.value).splitlines()
    # Two rulings that nothing needs come first.
    assert (22, f"  and {len(ids) + 2 - 20} more") == (len(lines), lines[-1])


@pytest.mark.parametrize("witness", ["reference", "inference", "checker"])
def test_every_witness_can_be_ruled(tmp_path: Path, witness: str) -> None:
    text = changed(
        "witness: reference\n    vectors: [reshape-1/*]",
        f"witness: {witness}\n    vectors: [reshape-1/*]",
    )
    found = [
        Disagreement(witness, "reshape-1/two_dims/float32", SAYS_NOTHING),
        Disagreement("reference", "reshape-5/shape_is_int32/float32", "computes a result"),
    ]
    assert () == problems(tmp_path, text, found)
