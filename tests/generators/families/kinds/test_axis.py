"""What the family `axis` makes: every axis, its negative twin, and beyond."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Spec


CONCAT = """\
operator: Concat
requirements:
  - id: joined
    text: The inputs are joined.
    source: {document: Concat-13, part: Summary}
open:
  - id: negative-axis
    text: open
    source: {document: Concat-4, part: Attributes}
    readings: {from-the-back: as later, rejected: not an axis}
families:
  - family: axis
    covers: [joined]
    with:
      inputs: {inputs: [shape, {along: 2}]}
      OPTIONS
"""


def _spec(folder: Path, options: str = "") -> Spec:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    (folder / "concat.yaml").write_text(CONCAT.replace("OPTIONS", options), "utf-8")
    _, (spec,) = read_specs(folder)
    return spec


def test_each_axis_of_rank_three_stands_with_its_negative_twin(tmp_path: Path) -> None:
    spec = _spec(tmp_path)
    made = {case.attributes[0].value for name, case in spec.cases.items() if "_of_2x3x4" in name}
    assert {-4, -3, -2, -1, 0, 1, 2, 3, 2**32} == made


def test_along_stands_in_the_place_of_the_axis(tmp_path: Path) -> None:
    case = _spec(tmp_path).cases["axis_m2_of_2x3x4"]
    assert [(2, 3, 4), (2, 2, 4)] == [item.shape for item in case.examples[0].inputs.values()]


def test_an_axis_beyond_the_ends_is_invalid(tmp_path: Path) -> None:
    spec = _spec(tmp_path)
    names = [
        "axis_m4_of_2x3x4",
        "axis_3_of_2x3x4",
        "axis_4294967296_of_2x3x4",
        "axis_1_of_2",
        "axis_m2_of_2",
        "axis_0_of_scalar",
        "axis_m1_of_scalar",
    ]
    assert names == [name for name, case in spec.cases.items() if case.kind == "invalid"]


def test_zero_stands_at_every_place(tmp_path: Path) -> None:
    shapes = {
        item.shape
        for case in _spec(tmp_path).cases.values()
        for item in list(case.examples[0].inputs.values())[:1]
    }
    assert {(0, 3, 4), (2, 0, 4), (2, 3, 0)} <= shapes


def test_without_small_no_axis_has_size_zero_or_one(tmp_path: Path) -> None:
    sizes = set()
    for case in _spec(tmp_path, "small: false").cases.values():
        if case.kind == "valid":
            place = case.attributes[0].value
            sizes.add(case.examples[0].inputs["inputs_0"].shape[place])
    assert not sizes & {0, 1}


def test_an_unknown_word_for_scalars_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="'invalid' or 'skip'"):
        _spec(tmp_path, "scalar: perhaps")
