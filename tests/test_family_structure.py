"""What the family `structure` makes of a signature."""

from __future__ import annotations

import shutil
from pathlib import Path

from onnx_conformance.generators.planning.reading import read_specs

SPECS = Path(__file__).parents[1] / "specs"

IDENTITY = """\
operator: Identity
requirements:
  - id: copies
    text: The output is the input.
    source: {document: Identity-14, part: Summary}
families:
  - {family: computed, covers: [copies], cases: {plain: {input: [2, 3]}}}
  - {family: structure, base: plain}
"""

PAD = """\
operator: Pad
requirements:
  - id: pads
    text: The data stands between pads.
    source: {document: Pad-25, part: Summary}
families:
  - {family: computed, covers: [pads], since: 11, cases: {plain: {data: [2], pads: [1, 1]}}}
  - {family: structure, base: plain, since: 11}
"""


def test_one_case_sweeps_the_types_where_versions_call_their_variable_otherwise(
    tmp_path: Path,
) -> None:
    """T up to version 13 of Identity, V from 14 on."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "identity.yaml").write_text(IDENTITY, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    swept = {case.id: case.sweep for case in spec.cases.values() if case.id.startswith("types")}
    assert {"types": ("types",)} == swept


def test_a_default_that_ends_before_the_family_begins_makes_no_case(tmp_path: Path) -> None:
    """Pad has an attribute `value` up to version 10, and the family begins at version 11."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    (tmp_path / "pad.yaml").write_text(PAD, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    assert ["default_mode"] == [name for name in spec.cases if name.startswith("default_")]


def test_a_family_of_some_versions_makes_cases_for_no_other(tmp_path: Path) -> None:
    """Its base case holds for all of them."""
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path)
    limited = IDENTITY.replace("base: plain}", "base: plain, since: 13, until: 19}")
    (tmp_path / "identity.yaml").write_text(limited, "utf-8")
    _, (spec,) = read_specs(tmp_path)
    made = [case for case in spec.cases.values() if case.id != "plain"]
    # What is outside of the types of a version is said without a first version of its own.
    assert {19} == {case.until for case in made}
    assert {13, None} >= {case.since for case in made}
