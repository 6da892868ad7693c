"""Where the form `loop_carried` applies: the first iteration must be a valid call too."""

from __future__ import annotations

import pytest
from places import SPECS

from onnx_conformance.generators.forms import form_named
from onnx_conformance.generators.planning.expansion import STANDARD, plans
from onnx_conformance.generators.planning.plans import Plan
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.situations.bindings import bound_types
from onnx_conformance.generators.situations.making import Situations


@pytest.mark.parametrize(
    ("vector", "applies"),
    [
        # The second input has another rank than the first one has in the first iteration.
        ("concat-13/columns/float32", False),
        ("concat-13/one/float32", True),
    ],
)
def test_loop_carried_applies_where_the_first_iteration_is_a_valid_call(
    vector: str, *, applies: bool
) -> None:
    facts, (concat,) = read_specs(SPECS, ("concat",))
    made = Situations(facts)
    (plan,) = plans(concat, facts, STANDARD, (vector,), made)
    assert applies == form_named("loop_carried").applies(made.of(plan))


@pytest.mark.parametrize("form", ["if_branch", "loop_body", "loop_carried"])
@pytest.mark.parametrize(("opset", "applies"), [(13, False), (15, False), (16, True)])
def test_branches_and_loops_have_bfloat16_since_opset_16(
    form: str, opset: int, *, applies: bool
) -> None:
    facts, (add,) = read_specs(SPECS, ("add",))
    made = Situations(facts)
    version = add.versions[13] if opset < 14 else add.versions[14]
    case = add.cases["types"]
    plan = Plan(add, case, version, opset, opset, bound_types(add, version, case, "bfloat16"))
    assert applies == form_named(form).applies(made.of(plan))
