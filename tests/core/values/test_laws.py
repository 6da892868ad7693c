"""Laws of random outputs: each of them holds for a right draw, and is broken by its fault."""

from __future__ import annotations

import json
import math
import random
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from chances import chance_of_no_ones, chance_of_ones
from places import SPECS

from onnx_conformance.core.corpus.metadata import from_json, to_json
from onnx_conformance.core.corpus.vector_files import permitted_outputs_of
from onnx_conformance.core.corpus.vectors import DataSet, Kind, Permitted, Vector
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.laws import broken, check_laws
from onnx_conformance.core.values.onnx_values import serialize_value
from onnx_conformance.core.values.tensors import Drawn, NamedValue, Tensor
from onnx_conformance.generators.corpus.described.laws import require_lawful
from onnx_conformance.generators.corpus.making import build_all, plan_corpus
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.validator.judging.judge import judge
from onnx_conformance.validator.judging.verdicts import Outputs, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence


def floats(*items: float) -> Tensor:
    return Tensor("float32", (len(items),), struct.pack(f"<{len(items)}f", *items))


SUM = {"law": "sum", "from": 1, "to": 3, "about": 1, "power": 2, "low": 4, "high": 5}
COUNT = {"law": "count", "from": 0, "to": 4, "above": 1, "below": 2, "least": 1, "most": 2}


@pytest.mark.parametrize(
    ("law", "kept", "not_kept"),
    [
        ({"law": "values", "of": [0, 1]}, floats(0, 1, -0.0), floats(0, 0.5)),
        ({"law": "range", "low": -1, "high": 1}, floats(-1, 1), floats(0, 1.0000001)),
        ({"law": "range", "low": -1, "high": 1}, floats(0), floats(float("nan"))),
        (SUM, floats(9, 3, 1, 9), floats(9, 3, 3, 9)),
        (SUM, floats(9, 2, 3, 9), floats(9, 1, 1, 9)),
        (SUM, floats(9, 1, 3, 9), floats(9, float("nan"), 3, 9)),
        (COUNT, floats(1, 2, 3, 1), floats(2, 2, 0, 3)),
        (COUNT, floats(1, 1.5, 2, 0), floats(1, 1, 1, 5)),
    ],
)
def test_a_law_is_kept_and_broken(law: dict[str, Any], kept: Tensor, not_kept: Tensor) -> None:
    assert broken([law], kept, {}) is None
    assert broken([law], not_kept, {}) is not None


@pytest.mark.parametrize(
    ("law", "kept", "not_kept"),
    [("same", floats(1, 2), floats(1, 3)), ("different", floats(1, 3), floats(1, 2))],
)
def test_a_law_about_two_outputs(law: str, kept: Tensor, not_kept: Tensor) -> None:
    laws = [{"law": law, "as": "other"}]
    assert broken(laws, floats(1, 2), {"other": kept}) is None
    assert broken(laws, floats(1, 2), {"other": not_kept}) is not None


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("int8", b"\xff", -1),
        ("uint8", b"\xff", 255),
        ("bool", b"\x01", 1),
        ("bool", b"\x81", 1),
        ("int4", b"\x0f", -1),
        ("int64", b"\xff" * 8, -1),
        ("int64", b"\xfc" + b"\xff" * 7, -4),
    ],
)
def test_elements_of_every_kind_are_numbers(kind: str, data: bytes, expected: int) -> None:
    assert broken([{"law": "values", "of": [expected]}], Tensor(kind, (1,), data), {}) is None


@pytest.mark.parametrize(
    "law",
    [
        {"law": "mean", "of": 1},
        {"law": "values"},
        {"law": "values", "of": 1},
        {**SUM, "from": -1},
        {**SUM, "low": "4"},
        {**SUM, "more": 1},
        {"law": "same", "as": 3},
        "values",
    ],
)
def test_what_is_no_law_is_an_error(law: object) -> None:
    with pytest.raises(BadInputError, match="a law of output 'y'"):
        check_laws({"y": [law]}, "data.json")


def test_laws_that_map_nothing_are_an_error() -> None:
    with pytest.raises(BadInputError, match="must map names"):
        check_laws([], "data.json")


# --- the oracle, and generators with a fault -------------------------------------------------

CHANCES = [0.25] * 512 + [0.75] * 512 + [0.0] * 512 + [1.0] * 512


def law_of(operator: str, inputs: dict[str, Any], **attributes: object) -> Drawn:
    defaults = {"low": 0.0, "high": 1.0, "mean": 0.0, "scale": 1.0}
    (result,) = compute(Call(22, {**defaults, **attributes}, inputs, operator))
    assert isinstance(result, Drawn)
    return result


def faults_of(drawn: Drawn, items: Sequence[float]) -> str | None:
    return broken(drawn.laws, floats(*items), {})


def test_the_oracles_draw_keeps_its_laws() -> None:
    for drawn in (
        law_of("Bernoulli", {"input": floats(*CHANCES)}),
        law_of("RandomUniform", {}, shape=(2048,), low=-2.0, high=6.0),
        law_of("RandomNormal", {}, shape=(2048,), mean=3.0, scale=0.5),
    ):
        assert broken(drawn.laws, drawn, {}) is None


def test_right_generators_keep_the_laws_and_exchanged_probabilities_do_not() -> None:
    drawn = law_of("Bernoulli", {"input": floats(*CHANCES)})
    for seed in range(50):
        chance = random.Random(seed)  # noqa: S311  draws that can be made again
        right = [float(chance.random() < item) for item in CHANCES]
        assert faults_of(drawn, right) is None
        assert faults_of(drawn, [1 - item for item in right]) is not None
        assert faults_of(drawn, [float(chance.random() < 0.5) for _ in CHANCES]) is not None
        assert faults_of(drawn, CHANCES) is not None


def test_a_uniform_distribution_of_other_ends_or_shape_breaks_a_law() -> None:
    drawn = law_of("RandomUniform", {}, shape=(2048,), low=-2.0, high=6.0)
    for seed in range(50):
        chance = random.Random(seed)  # noqa: S311  draws that can be made again
        right = [chance.uniform(-2, 6) for _ in range(2048)]
        assert faults_of(drawn, right) is None
        assert faults_of(drawn, [chance.uniform(0, 1) for _ in range(2048)]) is not None
        assert faults_of(drawn, [chance.uniform(-2, 4) for _ in range(2048)]) is not None
        assert faults_of(drawn, [chance.gauss(2, 1) for _ in range(2048)]) is not None
        assert faults_of(drawn, [right[0]] * 2048) is not None


def test_a_normal_distribution_of_another_deviation_or_mean_breaks_a_law() -> None:
    drawn = law_of("RandomNormal", {}, shape=(2048,), mean=3.0, scale=0.5)
    for seed in range(50):
        chance = random.Random(seed)  # noqa: S311  draws that can be made again
        assert faults_of(drawn, [chance.gauss(3, 0.5) for _ in range(2048)]) is None
        # The scale taken for the variance, no scale, no mean, and mean and scale exchanged.
        for mean, scale in ((3, 0.5**0.5), (3, 1), (0, 0.5), (0.5, 3)):
            items = [chance.gauss(mean, scale) for _ in range(2048)]
            assert faults_of(drawn, items) is not None


# --- how surely: chances that are computed, not tried -----------------------------------------
# The corpus has some 2,200 bounds of sums and counts, fewer than 300 of them sums of normal draws.
# With the limits below one false failure by any of them is rarer than 2,200 * 10^-13 + 300 *
# 10^-12. For Multinomial and Dropout see test_sampling_chances.py.


@pytest.mark.parametrize("chance", [0.5, 0.25, 0.0625])
def test_a_right_count_of_ones_fails_once_in_ten_billion_corpora(chance: float) -> None:
    for count in (64, 512, 2048):
        drawn = law_of("Bernoulli", {"input": floats(*[chance] * count)})
        (_, law) = drawn.laws
        assert chance_of_no_ones(count, chance, law["low"], law["high"]) < 1e-13
        other = chance_of_ones(count, 1 - chance, law["low"], law["high"])
        assert chance == 0.5 or count == 64 or other < 1e-9


def test_a_right_uniform_draw_fails_as_rarely_and_one_of_other_ends_surely() -> None:
    laws = law_of("RandomUniform", {}, shape=(2048,), low=-2.0, high=6.0).laws
    counts = [law for law in laws if law["law"] == "count"]
    for law in counts:
        assert chance_of_no_ones(2048, 0.25, law["least"], law["most"]) < 1e-13
    # Draws from 0 to 1 or from 0 to 6 leave the first quarter empty, those from -2 to 4 the last.
    assert counts[0]["least"] > 0
    assert counts[3]["least"] > 0
    # Bernstein's inequality for the sums, whose terms are of a uniform distribution.
    for law, variance, most in ((laws[1], 64 / 12, 4), (laws[2], 4096 / 180, 16)):
        reach = (law["high"] - law["low"]) / 2
        spread = 2 * (2048 * variance + most * reach / 3)
        assert 2 * math.exp(-(reach**2) / spread) < 1e-13


def test_a_right_normal_draw_fails_rarely_and_a_scale_taken_for_the_variance_surely() -> None:
    count, scale = 2048, 0.5
    laws = law_of("RandomNormal", {}, shape=(count,), mean=0.0, scale=scale).laws
    _, total, squares, half = laws
    assert math.erfc(total["high"] / (scale * math.sqrt(2 * count))) < 1e-12
    assert chance_of_no_ones(count, 0.5, half["least"], half["most"]) < 1e-13

    def below(ratio: float) -> float:
        """Chernoff's bound of the chance of a sum of squares below so much of its mean."""
        return math.exp(-count / 2 * (ratio - 1 - math.log(ratio)))

    mean = count * scale**2
    # The same bound holds above the mean.
    assert below(squares["low"] / mean) + below(squares["high"] / mean) < 1e-12
    # With the scale as variance the squares have a mean of count * scale.
    assert below(squares["high"] / (count * scale)) < 1e-15


def test_a_deviation_of_zero_is_the_mean() -> None:
    drawn = law_of("RandomNormal", {}, shape=(3,), mean=3.0, scale=0.0)
    assert faults_of(drawn, [3, 3, 3]) is None
    assert faults_of(drawn, [3, 3, 3.0000002]) is not None


def test_an_output_like_an_input_of_another_class_needs_dtype() -> None:
    given = {"input": Tensor("int8", (2,), b"\x01\x02")}
    with pytest.raises(InvalidCallError, match="the output cannot be int8"):
        law_of("RandomUniformLike", given)
    assert ("float64", (2,)) == (
        (drawn := law_of("RandomUniformLike", given, dtype=11)).type,
        drawn.shape,
    )


# --- judging ---------------------------------------------------------------------------------

LAWS: dict[str, Any] = {
    "y": [{"law": "values", "of": [0, 1]}],
    "z": [{"law": "same", "as": "y"}],
}
VECTOR = Vector(
    id="bernoulli-22/seed/float32",
    kind=Kind.VALID,
    operator="Bernoulli",
    since_version=22,
    opset=22,
    ir_version=10,
    types={},
    case="seed",
    form="same_seed",
    covers=(),
    documented=None,
    rtol=0,
    atol=1,
    inputs=(),
    outputs=("y", "z"),
    laws=LAWS,
)


def verdict(y: Tensor, z: Tensor) -> Verdict:
    draw = floats(0, 1)
    expected = tuple(
        NamedValue(name, Drawn(draw.type, draw.shape, draw.data, tuple(laws)))
        for name, laws in LAWS.items()
    )
    got = (NamedValue("y", y), NamedValue("z", z))
    return judge(VECTOR, [DataSet((), expected)], {}, Outputs((got,))).verdict


def test_a_draw_is_judged_by_type_shape_and_laws() -> None:
    assert verdict(floats(1, 0), floats(1, 0)) is Verdict.PASS
    assert verdict(floats(1, 0.5), floats(1, 0.5)) is Verdict.WRONG_VALUE
    assert verdict(floats(1, 0), floats(0, 0)) is Verdict.WRONG_VALUE
    assert verdict(floats(1), floats(1)) is Verdict.WRONG_SHAPE
    double = Tensor("float64", (2,), struct.pack("<2d", 1, 0))
    assert verdict(double, double) is Verdict.WRONG_TYPE


def test_where_any_value_is_permitted_no_law_is_asked() -> None:
    vector = replace(
        VECTOR,
        kind=Kind.LATITUDE,
        permitted=(
            Permitted("drawn", "", "permitted_0"),
            Permitted("any", "", "permitted_1", any=True),
        ),
    )
    due = Drawn("float32", (2,), floats(0, 1).data, ({"law": "values", "of": [0, 1]},))
    permitted = {label: (NamedValue("y", due),) for label in ("drawn", "any")}
    got = Outputs(((NamedValue("y", floats(0, 5)),),))
    judgement = judge(vector, [DataSet((), ())], permitted, got)
    assert (Verdict.PASS, "any") == (judgement.verdict, judgement.taken)


def test_data_json_holds_the_laws() -> None:
    assert LAWS == from_json(json.loads(json.dumps(to_json(VECTOR))), "data.json").laws


def test_a_permitted_result_without_laws_is_compared_as_it_stands() -> None:
    drawn = Permitted("drawn", "it is a half", "permitted_0")
    copied = Permitted("copied", "nothing is dropped", "permitted_1", laws=False)
    laws = {"y": [{"law": "values", "of": [0, 1]}]}
    vector = replace(
        VECTOR,
        kind=Kind.LATITUDE,
        outputs=("y",),
        laws=laws,
        permitted=(drawn, copied),
    )
    read = from_json(json.loads(json.dumps(to_json(vector))), "data.json")
    assert (drawn, copied) == read.permitted
    files = {
        "permitted_0/output_0.pb": serialize_value(floats(0, 1), "y"),
        "permitted_1/output_0.pb": serialize_value(floats(0.5, 0.5), "y"),
    }
    permitted = permitted_outputs_of(read, files, "here")
    verdicts = [
        judge(read, [DataSet((), ())], permitted, Outputs(((NamedValue("y", got),),))).verdict
        for got in (floats(0.5, 0.5), floats(1, 0), floats(0.5, 0.25))
    ]
    assert [Verdict.PASS, Verdict.PASS, Verdict.WRONG_VALUE] == verdicts


def test_a_stored_draw_that_breaks_its_law_is_refused() -> None:
    drawn = Drawn("float32", (2,), floats(0, 1).data, ({"law": "different", "as": "y"},))
    given = [NamedValue("y", floats(0, 1)), NamedValue("z", drawn)]
    with pytest.raises(BadInputError, match="here: the stored draw of output 'z' breaks its law"):
        require_lawful(given, "here")


def test_another_seed_has_another_draw() -> None:
    corpus = plan_corpus(
        SPECS, selection=["bernoulli-22/seed/float32.other_seed"], operators=["bernoulli"]
    )
    (built,) = build_all(corpus)
    values = [item.value for item in built.data_sets[0].outputs]
    assert values[0] != values[1]
