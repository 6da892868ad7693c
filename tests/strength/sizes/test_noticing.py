"""Faults of size put before vectors that are large enough, and before some that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from large_vectors import large_vector, write_listed
from strength.sizes.asking import answer_of
from strength.sizes.faults import CORRECT, FAULTS, Kind
from strength.sizes.measuring import measure
from strength.vectors import Vectors, entries_of_sizes, is_noticed, judged, loaded_of

if TYPE_CHECKING:
    from pathlib import Path

    from strength.sizes.faults import SizeFault
    from strength.sizes.measuring import Noticed

    Array = np.ndarray[Any, Any]

LENGTH = 65_536 + 32 + 7
SUM = "reducesum-13/sizes_long/float32"


def numbers(*shape: int) -> Array:
    """Small whole numbers, of which 251 follow each other again and again."""
    return (np.arange(np.prod(shape)) % 251 + 1).reshape(shape).astype(np.float32)


def texts(*lengths: int) -> Array:
    return np.array(["x" * length for length in lengths], dtype=object)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sizes")
    long, table, rows = numbers(LENGTH), numbers(70_001), numbers(3, 2_051)
    indices = np.array([0, 65_537, 70_000, -1])
    many = {f"x{at}": numbers(2) + at for at in range(40)}
    words = texts(64, 300, 65_600)
    equal = np.zeros((1, 70_001), dtype=np.float32)
    lines = [
        large_vector(root, "neg-13/sizes_long/float32", "Neg", {"X": long}, {"Y": -long}),
        large_vector(root, "neg-13/small/float32", "Neg", {"X": long[:9]}, {"Y": -long[:9]}),
        large_vector(root, "abs-13/sizes_alike/float32", "Abs", {"X": long * 0}, {"Y": long * 0}),
        large_vector(root, "relu-14/sizes_wrong/float32", "Relu", {"X": long}, {"Y": long + 1}),
        large_vector(
            root,
            SUM,
            "ReduceSum",
            {"data": rows, "axes": np.array([1])},
            {"reduced": rows.sum(axis=1, keepdims=True)},
        ),
        large_vector(
            root, "softmax-13/sizes_row/float32", "Softmax", {"X": equal}, {"Y": equal + 1 / 70_001}
        ),
        large_vector(
            root,
            "gather-13/sizes_far/float32",
            "Gather",
            {"data": table, "indices": indices},
            {"output": table[indices]},
        ),
        large_vector(root, "sum-13/sizes_many/float32", "Sum", many, {"sum": sum(many.values())}),
        large_vector(
            root,
            "stringconcat-20/sizes_texts/string",
            "StringConcat",
            {"X": words, "Y": texts(1, 1, 1)},
            {"Z": words + texts(1, 1, 1)},
        ),
    ]
    return write_listed(root, lines)


@pytest.fixture(scope="module")
def measured(folder: Path) -> dict[str, Noticed]:
    names = ("Neg", "Abs", "Relu", "ReduceSum", "Gather", "Sum", "StringConcat")
    return {name: measure(folder, "", name) for name in names}


def noticed(found: Noticed, kind: Kind) -> set[str]:
    start = f"{kind.value}: "
    return {name[len(start) :] for name in found.noticed if name.startswith(start)}


def test_a_long_vector_of_other_and_other_numbers_notices_what_is_written(
    measured: dict[str, Noticed],
) -> None:
    found = measured["Neg"]
    due = {item.name for item in FAULTS if item.kind is Kind.WRITTEN}
    assert {name for name in due if "rows beyond" in name} == set(found.idle)
    assert due == {*found.noticed, *found.idle}
    assert {"neg-13/sizes_long/float32"} == set(found.noticed.values())
    assert ((), ()) == (found.survived, found.accused)


def test_equal_numbers_notice_nothing_but_what_is_no_number_of_theirs(
    measured: dict[str, Noticed],
) -> None:
    found = measured["Abs"]
    assert all("what memory held" in name for name in found.noticed)
    assert "written: the last block of 256 is the one before it" in found.survived


def test_a_vector_that_is_wrong_itself_accuses_a_right_runtime(folder: Path) -> None:
    (entry,) = entries_of_sizes(folder, "", "Relu")
    found = [judged(loaded_of(entry), answer_of(loaded_of(entry), it).outputs) for it in CORRECT]
    assert [False, True, True] == list(map(is_noticed, found))


def test_sums_that_leave_out_terms_or_add_them_twice_are_noticed(
    measured: dict[str, Noticed],
) -> None:
    found = measured["ReduceSum"]
    assert {
        *("only the first 256 terms", "only the first 1,024 terms"),
        *("without the tail of 8", "without the tail of 16", "without the tail of 32"),
        *("the last block of 256 twice", "the second thread's partial sum twice"),
    } == noticed(found, Kind.SUMS)
    assert "sums: only the first 65,536 terms" in found.idle
    assert {"only the first 256 elements", "only the first 1,024 elements"} <= noticed(
        found, Kind.READ
    )
    assert () == found.accused


def test_a_row_of_which_equal_elements_are_added_at_once_notices_them_too(folder: Path) -> None:
    found = measure(folder, "", "Softmax", faults=[it for it in FAULTS if it.kind is Kind.SUMS])
    assert "only the first 65,536 terms" in noticed(found, Kind.SUMS)
    assert ((), (), ()) == (found.survived, found.idle, found.accused)


def test_inputs_indices_and_strings_beyond_a_limit_are_noticed(
    measured: dict[str, Noticed],
) -> None:
    assert {"cut to 16 bits"} == noticed(measured["Gather"], Kind.INDICES)
    assert {"only the first 32 inputs"} == noticed(measured["Sum"], Kind.INPUTS)
    cuts = {f"cut after {most} bytes" for most in ("63", "255", "65,535")}
    assert cuts == noticed(measured["StringConcat"], Kind.STRINGS)
    assert cuts == noticed(measured["StringConcat"], Kind.STRINGS_READ)


def test_what_concerns_no_strings_is_not_asked_of_them(measured: dict[str, Noticed]) -> None:
    asked = {*measured["Neg"].noticed, *measured["Neg"].survived, *measured["Neg"].idle}
    assert {"written"} == {name.partition(":")[0] for name in asked}


@pytest.mark.parametrize("fault", CORRECT, ids=lambda item: item.kind.value)
@pytest.mark.parametrize("operator", ["Neg", "ReduceSum", "Gather", "Sum", "StringConcat"])
def test_right_runtimes_that_work_in_the_same_ways_pass(
    folder: Path, operator: str, fault: SizeFault
) -> None:
    for entry in entries_of_sizes(folder, "", operator):
        loaded = loaded_of(entry)
        answer = answer_of(loaded, fault)
        assert not is_noticed(judged(loaded, answer.outputs))
        assert not answer.shows


def test_what_noticed_a_fault_last_is_tried_first(folder: Path) -> None:
    name = "sums: only the first 256 terms"
    faults = [item for item in FAULTS if item.name == name]
    assert {name: SUM} == measure(folder, "", "ReduceSum", {name: SUM}, faults).noticed


def test_mutants_are_not_tried_on_large_tensors(folder: Path) -> None:
    assert ["neg-13/small/float32"] == list(Vectors(folder, "", "Neg").by_id)
