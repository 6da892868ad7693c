"""Mutants of the modules that oracles share."""

from __future__ import annotations

import struct
from importlib import import_module
from typing import TYPE_CHECKING

from strength.mutants.helpers import helpers_of, rebuilt_with
from strength.mutants.mutant import all_mutants, source_files

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import operators
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.registry import Result

PACKAGE = operators.__name__
TOP = f"{PACKAGE}.rows.top"
RANKING = f"{PACKAGE}.rows.ranking"
ATTENTION = f"{PACKAGE}.attention"


def test_what_an_oracle_imports_of_its_own_kind_is_found_at_any_depth() -> None:
    found = helpers_of(f"{ATTENTION}.attention")
    assert {f"{ATTENTION}.{name}" for name in ("biases", "shapes", "weights", "sums")} <= {*found}


def test_arithmetic_and_other_oracles_are_no_helpers() -> None:
    found = helpers_of(f"{ATTENTION}.attention")
    assert {ATTENTION} == {name.rpartition(".")[0] for name in found}


def test_a_changed_helper_comes_before_what_uses_it_and_the_oracle_last() -> None:
    names = [f"{ATTENTION}.{name}" for name in ("sums", "weights", "attention")]
    assert tuple(names) == rebuilt_with(f"{ATTENTION}.sums", f"{ATTENTION}.attention")


def test_an_oracle_alone_is_rebuilt_alone() -> None:
    assert (TOP,) == rebuilt_with(TOP, TOP)


def test_the_files_of_an_operator_hold_those_of_its_helpers() -> None:
    assert str(import_module(RANKING).__file__) in source_files("TopK", "")


def test_a_helper_is_changed_for_the_mutant_alone() -> None:
    row = tensor_of(Grid("float32", (2,), (Fraction(1), Fraction(2))))
    count = tensor_of(Grid("int64", (1,), (1,)))
    call = Call(
        11,
        {"axis": -1, "largest": 1, "sorted": 1},
        {"X": row, "K": count},
        operator="TopK",
        outputs=("Values", "Indices"),
    )
    mutant = next(
        item
        for item in all_mutants("", "TopK", compute)
        if item.name.endswith("ranked: not greatest -> greatest")
    )
    answers = [tensors(compute(call)), tensors(mutant.make()(call)), tensors(compute(call))]
    greatest, least = struct.pack("<f", 2), struct.pack("<f", 1)
    assert [greatest, least, greatest] == [values.data for values, _ in answers]


def tensors(result: Result) -> list[Tensor]:
    """The outputs, all of which are grids or tensors."""
    made = [tensor_of(item) if isinstance(item, Grid) else item for item in result]
    return [item for item in made if isinstance(item, Tensor)]
