"""Names that forms make: no two values of a model have one name."""

from __future__ import annotations

import pytest
from places import SPECS

from onnx_conformance.generators.forms import form_named
from onnx_conformance.generators.planning.expansion import STANDARD, plans
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.situations.making import Situations


@pytest.mark.parametrize("form", ["from_concat", "from_arithmetic"])
def test_initializers_of_several_parameters_have_names_of_their_own(form: str) -> None:
    facts, (spec,) = read_specs(SPECS, ("slice",))
    made = Situations(facts)
    (plan,) = plans(spec, facts, STANDARD, ("slice-13/rows_and_columns/float32",), made)
    model = form_named(form).build(made.of(plan)).model
    names = [item.name for item in model.graph.initializer]
    assert len(names) > 1
    assert len(set(names)) == len(names)
