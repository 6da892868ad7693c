"""What data.json says of limits: by which rule each output's were derived."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from committed_corpus import VECTORS, built

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor
from onnx_conformance.generators.corpus.described.limit_rules import accuracy_of
from onnx_conformance.generators.oracle.accuracy.bounds import (
    dot_bound,
    enclosed,
    function_value,
    rounded,
    within_ulps,
)
from onnx_conformance.generators.oracle.accuracy.factors import product_bound
from onnx_conformance.generators.oracle.accuracy.limits import rules_of
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid
from onnx_conformance.generators.oracle.arith.numbers import NEG_ZERO, ZERO, div
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rules import in_words, merged
from onnx_conformance.generators.situations.asking import value_of_output

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.grid import Item

THIRD = Fraction(1, 3)
HALF = Fraction(1, 2)


def of(name: str, *items: Item) -> tuple[dict[str, Any], ...]:
    return rules_of(Grid(name, (len(items),), items))


@pytest.mark.parametrize(
    ("item", "rule", "words"),
    [
        (
            rounded("float32", div, Fraction(1), Fraction(3), step="div"),
            {"rule": "rounded", "gpu_ulps": 2.5},
            "rounded once (gpu: 2.5 ulp)",
        ),
        (
            function_value("exp", "float32", HALF),
            {"rule": "function", "function": "exp", "ulps": 4},
            "exp within 4 ulp",
        ),
        (
            within_ulps("float32", THIRD, 2, 5),
            {"rule": "ulps", "ulps": 2, "gpu_ulps": 5},
            "within 2 ulp (gpu: 5 ulp)",
        ),
        (
            dot_bound("float16", THIRD, THIRD, 4),
            {"rule": "sum", "kept_in": "float32", "gpu_kept_in": "float16", "count": 4},
            "sum of 4 terms kept in float32",
        ),
        (
            product_bound("float32", THIRD, 3),
            {"rule": "product", "kept_in": "float32", "gpu_kept_in": "float32", "count": 3},
            "product of 3 factors",
        ),
        (
            enclosed("float32", lambda s, x: s.mul(s.exp(x), x), HALF),
            {"rule": "formula", "steps_in": "float32"},
            "the document's formula in intervals, in steps of float32",
        ),
        (AnyOf((NEG_ZERO, ZERO)), {"rule": "choice"}, "one of several numbers"),
    ],
)
def test_each_rule_says_what_it_was_given(item: Item, rule: dict[str, Any], words: str) -> None:
    assert (rule,) == of("float32", item)
    assert words == in_words(rule)


def test_an_exact_element_has_no_rule() -> None:
    assert () == of("float32", Fraction(1), function_value("exp", "float32", ZERO))


def test_rules_that_differ_in_their_count_alone_are_one() -> None:
    sums = [dot_bound("float32", THIRD, THIRD, count) for count in (3, 7, 5)]
    (rule,) = of("float32", *sums)
    assert ([3, 7], "sum of 3 to 7 terms kept in float32") == (rule["count"], in_words(rule))
    assert ({**rule, "count": [1, 9]},) == merged(
        [rule, {**rule, "count": 9}, {**rule, "count": [1, 2]}]
    )


def test_outputs_are_named_with_their_rules_and_exact_ones_are_not() -> None:
    bounded = value_of_output(Grid("float32", (1,), (function_value("exp", "float32", HALF),)))
    exact = Tensor("float32", (1,), bytes(4))
    expected = {
        "rule": "exp within 4 ulp",
        "outputs": {
            "Y": [{"rule": "function", "function": "exp", "ulps": 4}],
            "parts": [{"rule": "function", "function": "exp", "ulps": 4}],
        },
    }
    outputs = {"Y": bounded, "Z": exact, "parts": SequenceValue((exact, bounded))}
    named = [NamedValue(name, value) for name, value in outputs.items()]
    assert expected == accuracy_of(named)
    assert None is accuracy_of([NamedValue("Z", exact)])


@pytest.mark.parametrize(
    ("vector_id", "rule"),
    [
        ("exp-13/example/float32", "exp within 4 ulp"),
        ("add-14/specials/float32", "rounded once"),
        ("shape-25/example/float32", None),
    ],
)
def test_a_vector_says_by_which_rule_its_limits_were_derived(
    vector_id: str, rule: str | None
) -> None:
    document = json.loads(built(vector_id).files["data.json"])
    assert rule == document.get("accuracy", {"rule": None})["rule"]


def test_the_outputs_that_have_limits_are_those_that_have_a_rule() -> None:
    seen = 0
    for entry in open_corpus(VECTORS).entries.values():
        loaded = load(entry)
        limited = {
            loaded.vector.outputs[int(found[1])]
            for name in loaded.files
            if (found := re.search(r"/(?:gpu_)?low_(\d+)\.pb$", name))
        }
        accuracy = loaded.vector.accuracy
        assert limited == (set() if accuracy is None else set(accuracy["outputs"])), entry.id
        assert accuracy is None or all(accuracy["outputs"].values())
        seen += accuracy is not None
    assert seen > 100


def test_the_page_on_the_format_explains_each_rule() -> None:
    text = (VECTORS / "README.md").read_text("utf-8")
    explained = set(re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\|[^|]*\|$", text, re.MULTILINE))
    known = {"rounded", "function", "ulps", "sum", "product", "formula", "choice"}
    assert known == explained
