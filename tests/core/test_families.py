"""Families of operators: each operator is in one."""

from __future__ import annotations

from collections import Counter

from onnx_conformance.core.families import FAMILIES, OTHER, family_of, members
from onnx_conformance.generators.oracle.index import MODULES


def test_every_operator_is_in_one_family() -> None:
    known = [name.rpartition(":")[2] for names in MODULES.values() for name in names.split()]
    known += ["Graphs", "IR"]  # whole models are counted as operators are
    found = Counter(name for family in FAMILIES for name in members(family))
    assert dict.fromkeys(known, 1) == dict(found)


def test_an_operator_is_found_however_it_is_spelled() -> None:
    assert ("classical ml", "pooling", OTHER) == (
        family_of("ai.onnx.ml.Scaler"),
        family_of("maxpool"),
        family_of("MyOwn"),
    )
