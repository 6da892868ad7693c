"""The counts of `benchmarks/combinations.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from combinations import pairs, type_class


def test_types_are_in_classes() -> None:
    names = ("float16", "bfloat16", "float8e5m2", "int2", "int64", "bool", "seq(tensor(float))")
    expected = ["float16", "float16", "float8 and less", "int4 and less", "int64", "bool"]
    assert [*expected, "container"] == [type_class(name) for name in names]


def test_a_pair_could_stand_where_both_halves_do() -> None:
    triples = [("float32", "static", "few"), ("bool", "static", "few"), ("float32", "if", "one")]
    stand, could = pairs(triples, 0, 1)
    assert {("float32", "static"), ("bool", "static"), ("float32", "if")} == stand
    assert {("bool", "if")} == could - stand
