"""Verdicts where limits or several permitted elements come with the vector."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from bounded_values import bounded, coded, float32
from small_corpus import small_vector

from onnx_conformance.core.corpus.vectors import DataSet, Permitted
from onnx_conformance.core.values.tensors import NamedValue, OptionalValue, SequenceValue, Tensor
from onnx_conformance.validator.judging.judge import judge
from onnx_conformance.validator.judging.tolerance_rules import rule_for
from onnx_conformance.validator.judging.verdicts import Judgement, Outputs, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.corpus.vectors import Vector
    from onnx_conformance.core.values.tensors import Value

ONE, TWO, ZERO, MINUS_ZERO = float32(1), float32(2), 0, 0x80000000
NAN, OTHER_NAN = 0x7FC00000, 0xFFC00001
NEAR_ONE = bounded(
    "float32", [ONE], {"ieee": ([ONE - 2], [ONE + 2]), "gpu": ([ONE - 8], [ONE + 8])}
)
VECTOR = small_vector(
    "exp-13/whole/float32",
    outputs=("y", "count"),
    rtol=1e-3,
    atol=1e-7,
    accuracy={"rule": "2 ulp"},
)


def named(*values: Value) -> tuple[NamedValue, ...]:
    return tuple(NamedValue(name, value) for name, value in zip(("y", "z"), values, strict=False))


def verdict_of(expected: Value, got: Value, profile: str = "ieee") -> Judgement:
    rule = rule_for(VECTOR, profile=profile)
    return judge(VECTOR, [DataSet((), named(expected))], {}, Outputs((named(got),)), rule)


# --- limits -------------------------------------------------------------------------------------


def test_a_pass_within_limits_says_what_it_used_and_what_it_meets() -> None:
    judgement = verdict_of(NEAR_ONE, coded("float32", [ONE + 1]))
    assert (Verdict.PASS, {"max_ulp": 1, "used": 0.5, "met": "ieee"}) == (
        judgement.verdict,
        judgement.details,
    )


def test_a_pass_with_equal_bytes_uses_nothing() -> None:
    judgement = verdict_of(NEAR_ONE, coded("float32", [ONE]))
    assert {"max_ulp": 0, "used": 0.0, "met": "exact"} == judgement.details


@pytest.mark.parametrize(("profile", "verdict"), [("ieee", "wrong-value"), ("gpu", "pass")])
def test_the_profile_decides(profile: str, verdict: str) -> None:
    judgement = verdict_of(NEAR_ONE, coded("float32", [ONE + 5]), profile)
    assert (verdict, "gpu") == (judgement.verdict.value, judgement.details["met"])


def test_the_message_of_one_element_names_what_is_permitted() -> None:
    judgement = verdict_of(NEAR_ONE, coded("float32", [ONE + 5]))
    assert (
        "expected float32 [1] = [1.0]; got float32 [1] = [1.0000006];"
        " permitted 0.9999999 to 1.0000002, 3 ulps outside"
    ) == judgement.message


def test_the_message_of_several_elements_names_what_is_permitted_at_the_first() -> None:
    value = bounded("float32", [ONE, ONE], {"ieee": ([ONE - 2] * 2, [ONE + 2] * 2)})
    judgement = verdict_of(value, coded("float32", [ONE, ONE + 5]))
    assert judgement.message.endswith(
        "; 1 of 2 elements differ, the first y[1]: expected 1.0, got 1.0000006;"
        " permitted 0.9999999 to 1.0000002, 3 ulps outside"
    )


def test_the_message_of_a_large_tensor_begins_with_the_element_not_with_all_values() -> None:
    value = bounded("float32", [ONE] * 40, {"ieee": ([ONE - 2] * 40, [ONE + 2] * 40)})
    judgement = verdict_of(value, coded("float32", [ONE] * 38 + [ONE + 5] * 2))
    assert (
        "2 of 40 elements of float32 [40] differ, the first y[38]: expected 1.0, got 1.0000006;"
        " permitted 0.9999999 to 1.0000002, 3 ulps outside"
    ) == judgement.message


def test_an_output_without_limits_is_exact_in_a_vector_that_has_some() -> None:
    count = Tensor("int64", (), (5000).to_bytes(8, "little"))
    other = Tensor("int64", (), (5001).to_bytes(8, "little"))
    judgement = judge(
        VECTOR,
        [DataSet((), named(NEAR_ONE, count))],
        {},
        Outputs((named(coded("float32", [ONE]), other),)),
        rule_for(VECTOR),
    )
    assert Verdict.WRONG_VALUE is judgement.verdict


def test_what_is_measured_covers_all_data_sets() -> None:
    sets = [DataSet((), named(NEAR_ONE)), DataSet((), named(NEAR_ONE))]
    got = Outputs((named(coded("float32", [ONE + 1])), named(coded("float32", [ONE - 2]))))
    judgement = judge(VECTOR, sets, {}, got, rule_for(VECTOR))
    assert (1.0, "ieee") == (judgement.details["used"], judgement.details["met"])


def test_what_is_measured_can_be_written_as_json() -> None:
    judgement = verdict_of(NEAR_ONE, coded("float32", [NAN]))
    assert "none" == json.loads(json.dumps(judgement.details, allow_nan=False))["met"]


@pytest.mark.parametrize("mode", ["onnx", "strict"])
def test_limits_count_in_every_tolerance_mode(mode: str) -> None:
    assert "the limits of gpu" == str(rule_for(VECTOR, mode, "gpu"))


def test_a_vector_without_limits_has_the_same_rule_in_every_profile() -> None:
    vector = small_vector("exp-13/whole/float32", rtol=1e-3, atol=1e-7)
    assert 1 == len({rule_for(vector, profile=name) for name in ("ieee", "gpu", "onnx")})


def test_an_unknown_profile_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown accuracy profile 'fast'"):
        rule_for(VECTOR, profile="fast")


# --- each element open --------------------------------------------------------------------------


def open_vector(*labels: str, free: str = "", by: str = "element") -> Vector:
    permitted = [
        Permitted(label, "the document is silent", f"permitted_{index}", any=label == free)
        for index, label in enumerate(labels)
    ]
    return small_vector(
        "max-13/open/float32",
        "latitude",
        outputs=("y",),
        permitted=tuple(permitted),
        permitted_by=by,
    )


def verdict_on(
    choices: Mapping[str, Value], *got: Value, free: str = "", by: str = "element"
) -> Judgement:
    vector = open_vector(*choices, free=free, by=by)
    permitted = {label: named(value) for label, value in choices.items()}
    sets = [DataSet((), ()) for _ in got]
    return judge(vector, sets, permitted, Outputs(tuple(named(item) for item in got)))


NUMBER_OR_NAN: dict[str, Any] = {
    "the number": coded("float32", [ONE, TWO, ZERO]),
    "NaN": coded("float32", [NAN, NAN, ZERO]),
}


@pytest.mark.parametrize(
    ("codes", "taken"),
    [
        ([ONE, TWO, ZERO], "the number"),
        ([NAN, OTHER_NAN, ZERO], "NaN"),
        ([ONE, NAN, ZERO], "mixed"),
        ([OTHER_NAN, TWO, ZERO], "mixed"),
    ],
)
def test_each_element_may_be_that_of_another_result(codes: list[int], taken: str) -> None:
    judgement = verdict_on(NUMBER_OR_NAN, coded("float32", codes))
    assert (Verdict.PASS, taken) == (judgement.verdict, judgement.taken)


@pytest.mark.parametrize("codes", [[TWO, TWO, ZERO], [ONE, TWO, NAN], [ONE, NAN, MINUS_ZERO]])
def test_an_element_that_is_of_no_result_at_its_place_is_wrong(codes: list[int]) -> None:
    assert Verdict.WRONG_VALUE is verdict_on(NUMBER_OR_NAN, coded("float32", codes)).verdict


def test_results_are_taken_as_a_whole_unless_the_vector_says_otherwise() -> None:
    mixed = coded("float32", [ONE, NAN, ZERO])
    assert Verdict.WRONG_VALUE is verdict_on(NUMBER_OR_NAN, mixed, by="result").verdict


def test_either_zero_is_right_where_both_are_among_the_choices() -> None:
    zeros: dict[str, Value] = {
        "plus": coded("float32", [ZERO, ZERO]),
        "minus": coded("float32", [MINUS_ZERO, MINUS_ZERO]),
    }
    assert "mixed" == verdict_on(zeros, coded("float32", [ZERO, MINUS_ZERO])).taken


def test_the_message_names_the_element_and_its_choices() -> None:
    judgement = verdict_on(NUMBER_OR_NAN, coded("float32", [ONE, ZERO, ZERO]))
    assert (
        "expected for each element any of 'the number' (float32 [3] = [1.0, 2.0, 0.0]),"
        " 'NaN' (float32 [3] = [nan, nan, 0.0]); y[1]: expected 2.0 or nan, got 0.0"
    ) == judgement.message


def test_the_details_count_the_elements_that_fit_nothing() -> None:
    details = verdict_on(NUMBER_OR_NAN, coded("float32", [TWO, ONE, ZERO])).details
    assert ([0], 2, 3) == (details["index"], details["differing"], details["elements"])


def test_elements_within_the_limits_of_a_choice_are_right() -> None:
    choices: dict[str, Value] = {
        "near": bounded("float32", [ONE, ONE], {"ieee": ([ONE - 2] * 2, [ONE + 2] * 2)}),
        "NaN": coded("float32", [NAN, NAN]),
    }
    found = [
        verdict_on(choices, coded("float32", [NAN, ONE + far])).verdict.value for far in (2, 3)
    ]
    assert ["pass", "wrong-value"] == found


def test_every_data_set_may_be_mixed_in_its_own_way() -> None:
    got = coded("float32", [ONE, NAN, ZERO]), coded("float32", [NAN, TWO, ZERO])
    assert "mixed" == verdict_on(NUMBER_OR_NAN, *got).taken


def test_a_wrong_element_of_a_later_data_set_is_found() -> None:
    got = coded("float32", [ONE, NAN, ZERO]), coded("float32", [NAN, TWO, ONE])
    judgement = verdict_on(NUMBER_OR_NAN, *got)
    assert judgement.message.startswith("data set 1, expected for each element any of")


@pytest.mark.parametrize(
    ("got", "verdict"),
    [
        (coded("float64", [0, 0, 0]), Verdict.WRONG_TYPE),
        (coded("float32", [ONE]), Verdict.WRONG_SHAPE),
        (SequenceValue(()), Verdict.WRONG_TYPE),
        (OptionalValue(None), Verdict.WRONG_TYPE),
    ],
)
def test_another_type_or_shape_is_no_mixture(got: Value, verdict: Verdict) -> None:
    assert verdict is verdict_on(NUMBER_OR_NAN, got).verdict


def test_another_number_of_outputs_is_no_mixture() -> None:
    vector = open_vector(*NUMBER_OR_NAN)
    permitted = {label: named(value) for label, value in NUMBER_OR_NAN.items()}
    got = Outputs((named(*NUMBER_OR_NAN.values()),))
    assert Verdict.WRONG_COUNT is judge(vector, [DataSet((), ())], permitted, got).verdict


def test_results_of_different_shapes_are_each_a_choice_for_their_own() -> None:
    choices: dict[str, Value] = {
        "short": coded("float32", [ONE]),
        "a": coded("float32", [ONE, TWO]),
        "b": coded("float32", [TWO, ONE]),
    }
    assert "mixed" == verdict_on(choices, coded("float32", [TWO, TWO])).taken


def test_strings_may_be_mixed() -> None:
    choices: dict[str, Value] = {
        "a": Tensor("string", (2,), (b"a", b"a")),
        "b": Tensor("string", (2,), (b"b", b"b")),
    }
    found = [verdict_on(choices, Tensor("string", (2,), (b"a", item))) for item in (b"b", b"c")]
    assert [("pass", "mixed"), ("wrong-value", None)] == [
        (item.verdict.value, item.taken) for item in found
    ]


def test_items_of_sequences_may_be_mixed() -> None:
    one, two = coded("float32", [ONE]), coded("float32", [TWO])
    choices: dict[str, Value] = {"a": SequenceValue((one, one)), "b": SequenceValue((two, two))}
    found = [
        verdict_on(choices, SequenceValue(items))
        for items in ((one, two), (one,), (one, coded("float32", [ZERO])))
    ]
    assert ["pass", "wrong-shape", "wrong-value"] == [item.verdict.value for item in found]


# --- any value ----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["element", "result"])
def test_any_value_of_the_type_and_shape_is_right_where_that_is_permitted(by: str) -> None:
    choices: dict[str, Value] = {
        "one": coded("float32", [ONE]),
        "anything": coded("float32", [ZERO]),
    }
    found = [
        verdict_on(choices, got, free="anything", by=by)
        for got in (coded("float32", [ONE]), coded("float32", [NAN]), coded("float32", [ONE] * 2))
    ]
    assert [("pass", "one"), ("pass", "anything"), ("wrong-shape", None)] == [
        (item.verdict.value, item.taken) for item in found
    ]


def test_the_message_says_that_other_values_are_permitted_too() -> None:
    choices: dict[str, Value] = {"anything": coded("float32", [ZERO])}
    judgement = verdict_on(choices, coded("float32", [ONE] * 2), free="anything")
    assert "'anything' (float32 [1] = [0.0], or other values of that type and shape)" in (
        judgement.message
    )
