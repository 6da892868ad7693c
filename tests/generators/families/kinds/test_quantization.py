"""What the family `quantized_types` makes: each type by several scales."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

QUANTIZE = """\
operator: QuantizeLinear
requirements:
  - id: quantizes
    text: Numbers are quantized.
    source: {document: QuantizeLinear-13, part: Summary}
families:
  - {family: quantized_types, until: 13, with: {scale: y_scale, OPTIONS}}
"""


def _ids(folder: Path, options: str) -> set[str]:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    (folder / "quantizelinear.yaml").write_text(QUANTIZE.replace("OPTIONS", options), "utf-8")
    _, (spec,) = read_specs(folder)
    return set(spec.cases)


def test_each_type_has_several_scales_and_zero_points(tmp_path: Path) -> None:
    names = _ids(tmp_path, "zero_point: y_zero_point")
    assert {
        f"to_{item}_{way}"
        for item in ("uint8", "int8")
        for way in ("exact", "least_zero", "greatest_zero")
    } == names


def test_an_input_that_the_operator_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no input 'offset'"):
        _ids(tmp_path, "zero_point: offset")
