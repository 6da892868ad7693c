"""Whether an answer is permitted, by the rule of the judge."""

from __future__ import annotations

from strength.trying.comparing import same_results
from strength.trying.question import Question

from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call

ONE = Fraction(1)


def permits_nan(item: Enclosed) -> bool:
    result = (Grid("float32", (1,), [item]),)
    question = Question(Call(1, {}, {}, operator="Add"), (result,), 1)
    return same_results(question, result, (Grid("float32", (1,), [NAN]),))


def test_limits_of_both_infinities_permit_nan_as_the_judges_do() -> None:
    assert permits_nan(Enclosed(ONE, NEG_INF, INF, NEG_INF, INF))


def test_limits_of_one_infinity_permit_no_nan() -> None:
    assert not permits_nan(Enclosed(ONE, NEG_INF, ONE, NEG_INF, ONE))


def test_nan_is_permitted_where_it_is_said() -> None:
    assert permits_nan(Enclosed(ONE, ONE, ONE, ONE, ONE, or_nan=True))
