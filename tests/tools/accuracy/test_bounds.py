"""The oracle's bounds part good implementations from bad ones: tools/accuracy/bounds.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tools.accuracy.bounds import subjects
from tools.accuracy.lines import GOOD, Line
from tools.accuracy.products import million

from onnx_conformance.generators.oracle.accuracy.bounds import enclosed, function_value
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.numbers import Real, from_float

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.accuracy.steps import Steps
    from onnx_conformance.generators.oracle.arith.intervals import Interval


def float32(value: float) -> Real:
    return from_float(float(np.float32(value)))


@pytest.mark.runtime("onnxruntime")
@pytest.mark.parametrize("name", subjects(quick=True))
def test_good_implementations_are_inside_and_bad_ones_outside(name: str) -> None:
    pytest.importorskip("onnxruntime")
    lines = list(subjects(quick=True)[name]())
    assert {"onnxruntime", "reference"} <= {line.implementation for line in lines}
    assert any(line.implementation not in GOOD for line in lines)
    assert [] == [line for line in lines if not line.is_right]


def test_a_line_of_a_good_implementation_with_an_element_outside_is_wrong() -> None:
    assert not Line("x", "onnxruntime", 9, 1, 1.0).is_right
    assert Line("x", "onnxruntime", 9, 0, 1.0).is_right
    assert not Line("x", "in float16", 9, 0, 1.0).is_right
    assert Line("x", "in float16", 9, 1, 1.0).is_right


def sigmoid_by_its_page(s: Steps, x: Interval) -> Interval:
    return s.div(1, s.add(1, s.exp(s.neg(x))))


def test_sigmoid_far_below_zero_needs_the_formula_with_tanh() -> None:
    # What onnxruntime 1.31 gives for -17.8; the exact value is 1.86e-8.
    got = float32(5.9604645e-08)
    assert not accepts("float32", enclosed("float32", sigmoid_by_its_page, float32(-17.8)), got)
    assert accepts("float32", enclosed("float32", lambda s, x: s.sigmoid(x), float32(-17.8)), got)


def test_sigmoid_is_never_outside_its_range() -> None:
    item = enclosed("float32", lambda s, x: s.sigmoid(x), float32(-30))
    assert accepts("float32", item, float32(0))
    assert not accepts("float32", item, float32(-1e-30))
    assert not accepts("float32", item, float32(1e-6))


def test_tanh_near_zero_has_its_floor_and_no_more() -> None:
    # What onnxruntime 1.31 gives there: 102 ulp off.
    item = function_value("tanh", "float32", float32(8.726754342398517e-40))
    assert accepts("float32", item, float32(8.728183666832129e-40))
    assert accepts("float32", item, float32(2.0**-24))
    assert not accepts("float32", item, float32(2.0**-23))


def test_a_float16_sum_of_a_million_is_outside_and_a_float32_sum_is_not() -> None:
    lines = {line.implementation: line.outside for line in million()}
    assert (0, 1) == (lines["forwards"], lines["sums in float16"])
