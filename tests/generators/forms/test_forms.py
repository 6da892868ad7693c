from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import onnx
import pytest
from committed_corpus import built, committed, plans_by_id, situation, spec_named

from onnx_conformance.core.corpus.vector_files import permitted_outputs_of
from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.forms import all_forms, form_named
from onnx_conformance.generators.oracle import answers
from onnx_conformance.generators.oracle.arith.integers import int64_values
from onnx_conformance.generators.planning.plans import Plan
from onnx_conformance.generators.planning.suiting import suiting_types
from onnx_conformance.generators.situations import asking
from onnx_conformance.generators.situations.bindings import bound_types
from onnx_conformance.generators.situations.variants import versions_of
from onnx_conformance.generators.specs.model import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnx_conformance.generators.oracle import Answer
    from onnx_conformance.generators.oracle.registry import Call
    from onnx_conformance.generators.situations.situations import Situation

RESHAPE = "reshape-25/presented/float32"
LITERAL = "reshape-25/presented_literal/float32"
ALLOWZERO = "reshape-25/presented_allowzero/float32"
SLICE = "shape-25/presented_slice/float32"


def graph(vector_id: str) -> onnx.GraphProto:
    return built(vector_id).model.graph


def types_of(vector_id: str) -> list[str]:
    return [node.op_type for node in graph(vector_id).node]


def dims(info: onnx.ValueInfoProto) -> list[int | str | None]:
    return [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in info.type.tensor_type.shape.dim
    ]


def input_dims(vector_id: str) -> dict[str, list[int | str | None]]:
    return {info.name: dims(info) for info in graph(vector_id).input}


def fed(vector_id: str) -> dict[str, Tensor]:
    return {item.name: item.value for item in built(vector_id).data_sets[0].inputs}  # type: ignore[misc]


def expected(vector_id: str) -> dict[str, Tensor]:
    return {item.name: item.value for item in built(vector_id).data_sets[0].outputs}  # type: ignore[misc]


def applies(form: str, to: Situation) -> bool:
    return form_named(form).applies(to)


# --- the registry ---


def test_an_unknown_form_is_an_error() -> None:
    with pytest.raises(BadInputError) as caught:
        form_named("statik")
    assert "unknown form 'statik'" == str(caught.value)


@pytest.mark.parametrize("name", list(all_forms()))
def test_a_form_says_what_it_is(name: str) -> None:
    form = form_named(name)
    assert name == form.name
    assert form.summary.endswith(".")


def applying() -> Iterator[tuple[str, str]]:
    """(operator, form) wherever a valid case can be presented in the form at some version.

    Of the operators that are written out by hand; families choose one form for a case.
    """
    for spec in map(spec_named, ("Reshape", "Shape", "Size")):
        for case in spec.cases.values():
            if case.kind == "valid":
                for version in versions_of(spec, case):
                    for type_name in suiting_types(spec, case, version)[:1]:
                        types = bound_types(spec, version, case, type_name)
                        plan = Plan(spec, case, version, *[version.since_version] * 2, types)
                        to = committed().situations.of(plan)
                        for form in all_forms().values():
                            if form.swept and form.applies(to):
                                yield spec.operator, form.name


def test_every_form_that_applies_to_an_operator_is_in_the_corpus() -> None:
    planned = {(plan.spec.operator, plan.form) for plan in committed().plans}
    assert set() == set(applying()) - planned


def test_every_form_is_in_the_corpus() -> None:
    drawn = {"same_seed", "other_seed"}  # of operators that draw, of which the sample has none
    assert set(all_forms()) - drawn == {plan.form for plan in committed().plans}


def one_of_each() -> list[str]:
    """For each operator and form, a valid vector of it at the newest version that has it."""
    found: dict[tuple[str, str], str] = {}
    for name, plan in plans_by_id().items():
        if plan.case.kind == "valid":
            found[plan.spec.operator, plan.form] = name
    return sorted(found.values())


@pytest.mark.parametrize("vector_id", one_of_each())
def test_the_checker_accepts_each_form(vector_id: str) -> None:
    onnx.checker.check_model(built(vector_id).model, full_check=True)


TWO_OF_A_KIND = {"twice", "beside", "beside_other", "chained", "chained_inferred"}


@pytest.mark.parametrize("vector_id", one_of_each())
def test_each_form_holds_the_operator_under_test_once_or_twice(vector_id: str) -> None:
    plan = plans_by_id()[vector_id]
    found = [node.op_type for node in nodes(built(vector_id).model)].count(plan.spec.operator)
    # from_shape, from_mixed and chained use Shape and Reshape as neighbours.
    assert found in ({1, 2} if plan.form in TWO_OF_A_KIND else {1})


def nodes(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Every node, those of functions and subgraphs included."""
    pending = [*model.graph.node, *(node for item in model.functions for node in item.node)]
    while pending:
        node = pending.pop()
        yield node
        pending += [inner for attribute in node.attribute for inner in attribute.g.node]


@pytest.mark.parametrize("vector_id", one_of_each())
def test_what_the_operator_gives_does_not_depend_on_the_form(vector_id: str) -> None:
    plan = plans_by_id()[vector_id]
    plain = situation(vector_id)
    for output in plan.version.outputs:
        found = [
            item.value
            for data_set in built(vector_id).data_sets
            for item in data_set.outputs
            if item.name == output.name
        ]
        assert list(plain.tensors(output.name)) == found


# --- declarations ---


def test_static_declares_the_dimensions_of_inputs_and_only_the_rank_of_outputs() -> None:
    assert {"data": [2, 3, 4], "shape": [3]} == input_dims(RESHAPE)
    assert [None, None, None] == dims(graph(RESHAPE).output[0])


def test_declared_declares_the_dimensions_of_outputs_too() -> None:
    assert [4, 3, 2] == dims(graph(f"{RESHAPE}.declared").output[0])


def test_symbolic_names_every_dimension() -> None:
    vector = f"{RESHAPE}.symbolic"
    assert {"data": ["data_0", "data_1", "data_2"], "shape": ["shape_0"]} == input_dims(vector)
    assert ["reshaped_0", "reshaped_1", "reshaped_2"] == dims(graph(vector).output[0])


def test_anonymous_declares_ranks_alone() -> None:
    expected_ = {"data": [None, None, None], "shape": [None]}
    assert expected_ == input_dims(f"{RESHAPE}.anonymous")


def test_unknown_rank_hides_the_rank_from_inference() -> None:
    model = onnx.shape_inference.infer_shapes(
        built(f"{RESHAPE}.unknown_rank").model, data_prop=True
    )
    known = [info for info in model.graph.value_info if info.name == "data"]
    assert not [info for info in known if info.type.tensor_type.HasField("shape")]


def test_data_sets_are_run_on_one_model_with_different_shapes() -> None:
    sets = built("reshape-25/several_shapes/float32.data_sets").data_sets
    shapes = [item.value.shape for one in sets for item in one.outputs]  # type: ignore[union-attr]
    assert len(set(shapes)) > 1
    assert len(sets) == len(shapes)


def test_same_value_is_one_input_in_both_places() -> None:
    (node,) = graph("reshape-25/self_zero/int64.same_value").node
    assert ["data", "data"] == list(node.input)
    assert ["data"] == list(fed("reshape-25/self_zero/int64.same_value"))


# --- constants ---


@pytest.mark.parametrize(
    ("form", "names", "inputs"),
    [
        ("initializer", ["shape"], ["data"]),
        ("all_initializers", ["data", "shape"], []),
        ("data_initializer", ["data"], ["shape"]),
        ("overridable", ["shape"], ["data", "shape"]),
        ("overridden", ["shape"], ["data", "shape"]),
    ],
)
def test_what_is_an_initializer_and_what_an_input(
    form: str, names: list[str], inputs: list[str]
) -> None:
    found = graph(f"{RESHAPE}.{form}")
    assert names == [item.name for item in found.initializer]
    assert inputs == [item.name for item in found.input]


def test_an_operator_with_one_input_has_that_as_the_initializer() -> None:
    assert ["data"] == [item.name for item in graph(f"{SLICE}.initializer").initializer]


def test_constant_is_a_node_of_that_name() -> None:
    assert ["Constant", "Reshape"] == types_of(f"{RESHAPE}.constant")


def test_an_overridable_initializer_is_not_fed() -> None:
    assert ["data"] == list(fed(f"{RESHAPE}.overridable"))


def test_an_overridden_initializer_is_fed_something_else() -> None:
    vector = f"{RESHAPE}.overridden"
    default = from_proto(graph(vector).initializer[0])
    given = fed(vector)["shape"]
    assert (default.shape, default.type) == (given.shape, given.type)
    assert default != given


def test_a_default_that_would_give_the_same_result_is_not_overridden() -> None:
    # The dimensions are the same whatever the elements are: nobody could tell which were taken.
    assert not applies("overridden", situation(SLICE))


def test_initializers_cannot_be_overridden_before_ir_4() -> None:
    old = replace(situation(RESHAPE), ir_version=3)
    assert [False, False] == [applies("overridable", old), applies("overridden", old)]


def test_constant_takes_floats_only_before_opset_9() -> None:
    old = replace(situation(RESHAPE), model_opset=8)
    assert not applies("constant", old)
    assert applies("constant", replace(situation(SLICE), model_opset=8))


@pytest.mark.parametrize("form", ["all_initializers", "data_initializer"])
def test_what_tells_data_from_parameters_needs_two_inputs(form: str) -> None:
    assert not applies(form, situation(SLICE))


def test_shared_initializer_is_read_by_another_node_too() -> None:
    vector = "reshape-25/presented/float32.shared_initializer"
    assert ["data", "shape"] == [item.name for item in graph(vector).initializer]
    assert expected(vector)["data_copy"] == situation(vector).tensors("data")[0]


def test_overridden_dims_has_a_default_of_other_dimensions() -> None:
    vector = f"{SLICE}.overridden_dims"
    default = from_proto(graph(vector).initializer[0])
    given = fed(vector)["data"]
    assert all(one != other for one, other in zip(default.shape, given.shape, strict=True))
    assert ["data_0", "data_1", "data_2"] == input_dims(vector)["data"]


def test_a_scalar_has_no_other_dimensions() -> None:
    scalar = with_value(situation(SLICE), "data", Tensor("float32", (), bytes(4)))
    assert not applies("overridden_dims", scalar)


def test_data_sets_initializer_feeds_the_data_alone() -> None:
    vector = "reshape-25/several_batches/float32.data_sets_initializer"
    assert ["shape"] == [item.name for item in graph(vector).initializer]
    fed_names = {item.name for one in built(vector).data_sets for item in one.inputs}
    assert {"data"} == fed_names


def test_parameters_that_differ_between_data_sets_are_no_initializer() -> None:
    to = situation("reshape-25/several_batches/float32.data_sets")
    first, *others = to.data_sets
    longer = with_shape(replace(to, data_sets=(first,)), [1, -1]).data_sets
    changed = replace(to, data_sets=(*longer, *others))
    assert [True, False] == [applies("data_sets_initializer", item) for item in (to, changed)]


# --- computed parameters ---


@pytest.mark.parametrize(
    ("vector", "types"),
    [
        (f"{LITERAL}.from_shape", ["Shape", "Reshape"]),
        (
            f"{RESHAPE}.from_concat",
            ["Gather", "Gather", "Gather", "Concat", "Reshape"],
        ),
        (f"{RESHAPE}.from_cast", ["Cast", "Reshape"]),
        (f"{RESHAPE}.from_arithmetic", ["Sub", "Reshape"]),
        (f"{RESHAPE}.from_mixed", ["Shape", "Concat", "Reshape"]),
    ],
)
def test_a_computed_parameter_comes_from_these_nodes(vector: str, types: list[str]) -> None:
    assert types == types_of(vector)
    assert "shape" not in fed(vector)


def test_from_shape_feeds_a_tensor_that_has_the_wanted_dimensions() -> None:
    assert (4, 3, 2) == fed(f"{LITERAL}.from_shape")["like_shape"].shape


def test_a_shape_with_minus_1_is_no_tensors_shape() -> None:
    assert not applies("from_shape", situation(RESHAPE))


def test_a_shape_of_many_elements_is_not_fed() -> None:
    large = with_shape(situation(RESHAPE), [2**16, 2])
    assert not applies("from_shape", large)
    assert not applies("from_mixed", with_shape(large, [2**16 + 1, 1]))


def test_values_beyond_int32_are_not_cast() -> None:
    assert not applies("from_cast", with_shape(situation(RESHAPE), [2**31]))
    assert applies("from_cast", with_shape(situation(RESHAPE), [2**31 - 1]))


def test_an_empty_shape_is_no_concat() -> None:
    empty = situation("reshape-25/1_1_1_to_none/float32")
    assert [False, False] == [applies("from_concat", empty), applies("from_mixed", empty)]


def test_a_value_near_the_end_of_int64_is_no_difference() -> None:
    assert not applies("from_arithmetic", with_shape(situation(RESHAPE), [2**62]))


@pytest.mark.parametrize(
    "form", ["from_shape", "from_concat", "from_cast", "from_arithmetic", "from_mixed"]
)
def test_computed_parameters_need_a_vector_of_int64_and_opset_7(form: str) -> None:
    literal = situation(LITERAL)
    assert applies(form, literal)
    assert not applies(form, replace(literal, model_opset=6))
    assert not applies(form, situation(SLICE))
    assert not applies(form, with_value(literal, "shape", Tensor("int32", (1,), bytes(4))))
    assert not applies(form, with_value(literal, "shape", Tensor("int64", (), bytes(8))))


def with_shape(to: Situation, target: list[int]) -> Situation:
    data = b"".join(item.to_bytes(8, "little", signed=True) for item in target)
    return with_value(to, "shape", Tensor("int64", (len(target),), data))


def with_value(to: Situation, name: str, value: Tensor) -> Situation:
    (data_set,) = to.data_sets
    inputs = tuple(
        NamedValue(name, value) if item.name == name else item for item in data_set.inputs
    )
    return replace(to, data_sets=(DataSet(inputs, data_set.outputs),))


# --- subgraphs and functions ---


@pytest.mark.parametrize(("form", "operator"), [("if_branch", "If"), ("loop_body", "Loop")])
def test_a_subgraph_holds_the_operator_and_reads_the_outer_scope(form: str, operator: str) -> None:
    found = graph(f"{RESHAPE}.{form}")
    (outer,) = [node for node in found.node if node.op_type == operator]
    inner = [
        node
        for attribute in outer.attribute
        for node in attribute.g.node
        if node.op_type == "Reshape"
    ]
    assert [["data", "shape"]] == [list(node.input) for node in inner]
    assert "Reshape" not in [node.op_type for node in found.node]


def test_the_condition_of_if_comes_at_run_time() -> None:
    assert "condition" in fed(f"{RESHAPE}.if_branch")


@pytest.mark.parametrize("form", ["if_branch", "loop_body"])
def test_the_value_that_is_not_taken_is_no_result_of_the_case(form: str) -> None:
    model = built(f"{RESHAPE}.{form}").model
    (constant,) = [node for node in nodes(model) if node.op_type == "Constant"]
    assert from_proto(constant.attribute[0].t) != expected(f"{RESHAPE}.{form}")["reshaped"]


@pytest.mark.parametrize("form", ["if_branch", "loop_body"])
def test_subgraphs_are_used_since_opset_11(form: str) -> None:
    assert not applies(form, replace(situation(RESHAPE), model_opset=10))


def test_the_node_of_a_function_refers_to_every_attribute_of_the_operator() -> None:
    (function,) = built(f"{SLICE}.function").model.functions
    references = {item.name: item.ref_attr_name for item in function.node[0].attribute}
    assert {"start": "start", "end": "end"} == references


def test_the_call_of_a_function_sets_the_attributes_of_the_case_alone() -> None:
    (call,) = graph("reshape-25/presented/float32.function").node
    assert [] == list(call.attribute)
    (call,) = graph(f"{SLICE}.function").node
    case = plans_by_id()[SLICE].case
    assert [item.name for item in case.attributes] == [item.name for item in call.attribute]


def test_defaults_of_a_function_are_the_attributes_of_the_case_and_the_call_sets_none() -> None:
    model = built(f"{SLICE}.function_defaults").model
    case = plans_by_id()[SLICE].case
    defaults = {item.name: item.i for item in model.functions[0].attribute_proto}
    assert {item.name: item.value for item in case.attributes} == defaults
    assert [] == list(model.graph.node[0].attribute)


def test_functions_exist_since_ir_8_and_their_defaults_since_9() -> None:
    seven, eight = (replace(situation(SLICE), ir_version=number) for number in (7, 8))
    assert [False, True] == [applies("function", item) for item in (seven, eight)]
    assert not applies("function_defaults", eight)


def test_defaults_need_an_attribute() -> None:
    assert not applies("function_defaults", situation(RESHAPE))


def test_function_overrides_calls_with_other_values_than_the_defaults() -> None:
    model = built(f"{SLICE}.function_overrides").model
    defaults = {item.name: item.i for item in model.functions[0].attribute_proto}
    call = {item.name: item.i for item in model.graph.node[0].attribute}
    assert defaults.keys() == call.keys()
    assert all(defaults[name] != call[name] for name in call)


def test_function_twice_calls_with_and_without_the_attributes() -> None:
    vector = f"{SLICE}.function_twice"
    first, second = graph(vector).node
    assert (first.op_type, first.domain) == (second.op_type, second.domain)
    assert [True, False] == [bool(node.attribute) for node in (first, second)]
    found = expected(vector)
    assert found["shape"] != found["shape_default"]


def test_function_twice_cannot_be_built_where_the_second_call_is_invalid() -> None:
    newest = replace(situation(ALLOWZERO), ir_version=10)
    assert not applies("function_twice", newest)
    with pytest.raises(ValueError, match="the form does not apply"):
        form_named("function_twice").build(newest)


def test_loop_carried_gives_the_data_other_dimensions_in_the_first_iteration() -> None:
    vector = f"{RESHAPE}.loop_carried"
    assert (2, 3, 4, 1) == fed(vector)["data_before"].shape
    (inner,) = [node for node in nodes(built(vector).model) if node.op_type == "Reshape"]
    assert ["data_carried", "shape"] == list(inner.input)


# --- neighbours ---


def test_produced_puts_an_identity_before_every_input() -> None:
    assert ["Identity", "Identity", "Reshape"] == types_of(f"{RESHAPE}.produced")


def test_chained_feeds_flat_data_that_a_reshape_gives_its_dimensions() -> None:
    vector = f"{RESHAPE}.chained"
    assert ["Reshape", "Reshape"] == types_of(vector)
    assert (24,) == fed(vector)["data_flat"].shape


def test_chained_keeps_a_zero_by_allowzero() -> None:
    node = graph(f"{ALLOWZERO}.chained").node[0]
    assert [("allowzero", 1)] == [(item.name, item.i) for item in node.attribute]


def test_chained_needs_a_reshape_that_can_do_it() -> None:
    plain, zero = situation(RESHAPE), situation(ALLOWZERO)
    assert [False, True] == [applies("chained", replace(plain, model_opset=n)) for n in (4, 5)]
    assert [False, True] == [applies("chained", replace(zero, model_opset=n)) for n in (13, 14)]
    assert not applies("chained", with_value(plain, "data", Tensor("bool", (2, 3, 4), bytes(24))))


def test_consumed_gives_the_output_and_its_copy() -> None:
    found = expected(f"{RESHAPE}.consumed")
    assert ["reshaped", "reshaped_copy"] == list(found)
    assert found["reshaped"] == found["reshaped_copy"]


def test_twice_gives_the_same_from_two_nodes() -> None:
    found = expected(f"{RESHAPE}.twice")
    assert ["Reshape", "Reshape"] == types_of(f"{RESHAPE}.twice")
    assert found["reshaped"] == found["reshaped_again"]


def test_beside_gives_something_else_from_a_node_without_attributes() -> None:
    found = expected(f"{SLICE}.beside")
    assert ["Shape", "Shape"] == types_of(f"{SLICE}.beside")
    assert found["shape"] != found["shape_default"]
    assert [] == list(graph(f"{SLICE}.beside").node[1].attribute)


@pytest.mark.parametrize(
    ("form", "vector_id"),
    [
        ("beside", SLICE),
        ("beside_other", SLICE),
        ("function_twice", SLICE),
        ("loop_carried", SLICE),
        ("overridden", RESHAPE),
    ],
)
def test_a_form_asks_the_oracle_once_for_each_situation(
    form: str, vector_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counting(call: Call) -> Iterator[Answer]:
        asked.append(call)
        return answers(call)

    monkeypatch.setattr(asking, "answers", counting)
    at = replace(situation(vector_id))
    assert form_named(form).applies(at)
    form_named(form).build(at)
    assert form_named(form).applies(at)
    assert 1 == len(asked)


def test_beside_does_not_apply_where_the_call_without_attributes_is_invalid() -> None:
    assert not applies("beside", situation(ALLOWZERO))
    assert not applies("beside", situation(RESHAPE))


def test_beside_cannot_be_built_where_it_does_not_apply() -> None:
    with pytest.raises(ValueError, match="the form does not apply"):
        form_named("beside").build(situation(ALLOWZERO))


def test_chained_inferred_has_constant_shapes_of_which_the_first_infers() -> None:
    vector = f"{RESHAPE}.chained_inferred"
    shapes = {item.name: int64_values(from_proto(item)) for item in graph(vector).initializer}
    assert {"data_dims": (-1, 3, 4), "shape": (4, 0, -1)} == shapes


def test_beside_other_gives_something_else_from_a_node_with_other_attributes() -> None:
    vector = f"{SLICE}.beside_other"
    first, second = ({item.name: item.i for item in node.attribute} for node in graph(vector).node)
    assert first.keys() == second.keys()
    assert all(first[name] ^ 1 == second[name] for name in first)
    found = expected(vector)
    assert found["shape"] != found["shape_other"]


def test_beside_other_cannot_be_built_where_it_does_not_apply() -> None:
    assert not applies("beside_other", situation(ALLOWZERO))
    with pytest.raises(ValueError, match="the form does not apply"):
        form_named("beside_other").build(situation(ALLOWZERO))


@pytest.mark.parametrize(
    ("form", "types"),
    [
        ("through_sequence", ["SequenceConstruct", "SequenceAt", "Shape"]),
        ("through_optional", ["Optional", "OptionalGetElement", "Shape"]),
    ],
)
def test_data_goes_through_a_container_and_comes_out_again(form: str, types: list[str]) -> None:
    presentation = form_named(form).build(situation(SLICE))
    assert types == [node.op_type for node in presentation.model.graph.node]


def test_containers_have_operators_since_opsets_11_and_15() -> None:
    found = [
        [applies(form, replace(situation(SLICE), model_opset=opset)) for opset in (10, 11, 14, 15)]
        for form in ("through_sequence", "through_optional")
    ]
    assert [[False, True, True, True], [False, False, False, True]] == found


@pytest.mark.parametrize(
    "vector",
    [f"{SLICE}.overridable", f"{RESHAPE}.overridden", f"{SLICE}.overridden_dims"],
)
def test_a_form_that_a_runtime_may_refuse_is_latitude_with_the_result_permitted(
    vector: str,
) -> None:
    plan, here = plans_by_id()[vector], built(vector)
    assert ("latitude", "any") == (plan.kind, here.vector.expect)
    assert ["result", "rejected"] == [item.taken for item in here.vector.permitted]
    permitted = permitted_outputs_of(here.vector, here.files, vector)
    assert {"result": here.data_sets[0].outputs} == permitted


def test_aliased_negates_data_and_result_bit_by_bit() -> None:
    vector = f"{RESHAPE}.aliased"
    found = expected(vector)
    data = fed(vector)["data"].data
    assert isinstance(data, bytes)
    flipped = bytes(byte ^ 0x80 if index % 4 == 3 else byte for index, byte in enumerate(data))
    assert [flipped, flipped] == [found[f"{name}_negated"].data for name in ("data", "reshaped")]


def test_aliased_needs_numbers_that_neg_takes_and_opset_6() -> None:
    plain = situation(RESHAPE)
    assert not applies("aliased", replace(plain, model_opset=5))
    assert not applies("aliased", with_value(plain, "data", Tensor("bool", (24,), bytes(24))))


# --- faults and several data sets ---

FAULTS = {
    "arguments": Fault(arguments=("data",)),
    "results": Fault(results=("reshaped", "rest")),
    "wrap": Fault(wrap="sequence"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("form", [name for name in all_forms() if name != "static"])
def test_a_fault_of_the_node_itself_is_presented_in_the_plain_form_alone(
    form: str, fault: str
) -> None:
    for vector in (RESHAPE, LITERAL, ALLOWZERO, SLICE):
        assert not applies(form, replace(situation(vector), fault=FAULTS[fault]))


def test_the_plain_form_presents_every_fault() -> None:
    to = situation(RESHAPE)
    assert all(applies("static", replace(to, fault=fault)) for fault in FAULTS.values())


def test_several_data_sets_have_one_form() -> None:
    to = situation("reshape-25/several_shapes/float32.data_sets")
    assert ["data_sets"] == [name for name in all_forms() if applies(name, to)]


@pytest.mark.parametrize(
    ("vector", "form"),
    [
        *((SLICE, form) for form in ("declared", "function", "consumed", "twice", "beside")),
        (SLICE, "aliased"),
        (RESHAPE, "overridden"),
    ],
)
def test_forms_that_need_a_result_do_not_apply_to_invalid_cases(vector: str, form: str) -> None:
    plain = situation(vector)
    (data_set,) = plain.data_sets
    invalid = replace(plain, data_sets=(DataSet(data_set.inputs, ()),))
    assert [True, False] == [applies(form, plain), applies(form, invalid)]
