"""Which rule a vector is judged with, and what the strict rule takes and refuses."""

from __future__ import annotations

import onnx
import pytest
from small_corpus import small_vector

from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.core.values.tolerance import EXACT, TYPE_AND_SHAPE, Tolerance, pair
from onnx_conformance.validator.judging import tolerance_rules
from onnx_conformance.validator.judging.tolerance_rules import ONNX_MODE, STRICT_MODE, rule_for

ONNX_PAIR = pair(1e-3, 1e-7)


def imported(operator: str, case: str = "test_example") -> Tolerance:
    vector = small_vector("x-1/y/float32", operator=operator, case=case, rtol=1e-3, atol=1e-7)
    return rule_for(vector, STRICT_MODE)


def tensor(name: str, *codes: int) -> Tensor:
    size = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}[name]
    return Tensor(name, (len(codes),), b"".join(code.to_bytes(size, "little") for code in codes))


def near(expected: Tensor, got: Tensor, rule: Tolerance) -> bool:
    return compare(expected, got, rule).difference is None


@pytest.mark.parametrize("mode", [ONNX_MODE, STRICT_MODE])
def test_a_vector_of_ours_is_exact_in_every_mode(mode: str) -> None:
    assert EXACT == rule_for(small_vector("exp-13/example/float32", operator="Exp"), mode)


def test_an_imported_vector_keeps_its_pair_by_default() -> None:
    vector = small_vector("exp-13/example/float32", operator="Exp", rtol=1e-3, atol=1e-7)
    assert ONNX_PAIR == rule_for(vector)


def test_an_operator_that_the_strict_rule_does_not_know_keeps_its_pair() -> None:
    assert ONNX_PAIR == imported("NoSuchOperator")


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown tolerance mode 'loose'"):
        rule_for(small_vector("exp-13/example/float32"), "loose")


@pytest.mark.parametrize("operator", ["Add", "Sqrt", "Reshape", "Cast", "Max", "Range"])
def test_one_rounding_or_none_is_exact(operator: str) -> None:
    assert EXACT == imported(operator)


def test_an_elementary_function_has_its_bound_in_ulps() -> None:
    rule = imported("Exp")
    one = 0x3F800000
    assert [True, False] == [
        near(tensor("float32", one), tensor("float32", one + off), rule) for off in (3, 4)
    ]


def test_16_bit_types_have_a_bound_of_their_own() -> None:
    rule = imported("Exp")
    one = {"float16": 0x3C00, "bfloat16": 0x3F80}
    for name, code in one.items():
        assert [True, False] == [
            near(tensor(name, code), tensor(name, code + off), rule) for off in (2, 3)
        ]


def test_sums_may_be_off_by_what_is_small_beside_the_largest_of_them() -> None:
    rule = imported("MatMul")
    thousand, zero = 0x447A0000, 0
    assert near(tensor("float32", thousand, zero), tensor("float32", thousand, 0x38000000), rule)


def test_sums_may_not_be_off_by_more() -> None:
    rule = imported("MatMul")
    one, zero = 0x3F800000, 0
    # 2**-18 is 32 epsilons of float32; the next number is beyond.
    bound = 0x36800000
    assert [True, False] == [
        near(tensor("float32", one, zero), tensor("float32", one, code), rule)
        for code in (bound, bound + 1)
    ]


def test_the_largest_value_is_that_of_the_expected_tensor() -> None:
    rule = imported("MatMul")
    small, great = tensor("float32", 0x3F800000, 0), tensor("float32", 0x3F800000, 0x4B000000)
    assert not near(small, great, rule)


def test_an_infinity_makes_no_room_for_other_elements() -> None:
    rule = imported("MatMul")
    infinity, zero, one = 0x7F800000, 0, 0x3F800000
    assert not near(tensor("float32", infinity, zero), tensor("float32", infinity, one), rule)


def test_integers_stay_exact_under_the_strict_rule() -> None:
    expected = Tensor("int64", (1,), (10**6).to_bytes(8, "little"))
    got = Tensor("int64", (1,), (10**6 + 1).to_bytes(8, "little"))
    assert [True, False] == [near(expected, got, rule) for rule in (ONNX_PAIR, imported("MatMul"))]


def test_onnx_judges_bfloat16_with_two_of_its_steps() -> None:
    one = 0x3F80
    assert [True, False] == [
        near(tensor("bfloat16", one), tensor("bfloat16", one + off), ONNX_PAIR) for off in (2, 3)
    ]


@pytest.mark.parametrize("case", ["test_training_dropout", "test_training_dropout_mask"])
def test_a_drawn_mask_is_judged_by_type_and_shape(case: str) -> None:
    assert TYPE_AND_SHAPE == imported("Dropout", case)


@pytest.mark.parametrize("case", ["test_dropout_default", "test_training_dropout_zero_ratio"])
def test_dropout_that_draws_nothing_is_exact(case: str) -> None:
    assert EXACT == imported("Dropout", case)


def test_random_values_pass_with_a_note() -> None:
    comparison = compare(tensor("float32", 1), tensor("float32", 2), TYPE_AND_SHAPE)
    assert (None, ("any values of this type and shape are right",)) == (
        comparison.difference,
        comparison.notes,
    )


def test_random_values_of_another_type_or_shape_fail() -> None:
    expected = tensor("float32", 1)
    assert not near(expected, tensor("float32", 1, 2), TYPE_AND_SHAPE)
    assert not near(expected, tensor("float64", 1), TYPE_AND_SHAPE)


def test_every_operator_of_onnx_has_a_strict_rule() -> None:
    # Gradient is any function at all.
    known = (
        tolerance_rules._EXACT_OPERATORS  # noqa: SLF001  the tables are what is tested
        | tolerance_rules._NORMWISE_OPERATORS  # noqa: SLF001  see above
        | tolerance_rules._RANDOM_OPERATORS  # noqa: SLF001  see above
        | set(tolerance_rules._ELEMENTARY)  # noqa: SLF001  see above
    )
    missing = {schema.name for schema in onnx.defs.get_all_schemas()} - known
    assert {"Gradient"} >= missing


def test_no_operator_has_two_strict_rules() -> None:
    tables = [
        tolerance_rules._EXACT_OPERATORS,  # noqa: SLF001  the tables are what is tested
        tolerance_rules._NORMWISE_OPERATORS,  # noqa: SLF001  see above
        tolerance_rules._RANDOM_OPERATORS,  # noqa: SLF001  see above
        frozenset(tolerance_rules._ELEMENTARY),  # noqa: SLF001  see above
    ]
    assert sum(map(len, tables)) == len(frozenset().union(*tables))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (EXACT, "exact"),
        (TYPE_AND_SHAPE, "type and shape"),
        (ONNX_PAIR, "atol 1e-07 + rtol 0.001"),
        (Tolerance("ulp", ulps=3), "3 ulp"),
        (Tolerance("absolute-relative", of_largest=32), "32 eps of the largest"),
    ],
)
def test_a_rule_is_said_in_words(rule: Tolerance, text: str) -> None:
    assert text == str(rule)
