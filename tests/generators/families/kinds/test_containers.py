"""What the family `containers` makes: each listed sequence and optional type."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.specs.model import OptionalLiteral, SequenceLiteral

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.specs.model import Spec


IDENTITY = """\
operator: Identity
requirements:
  - id: copies
    text: The output is the input.
    source: {document: Identity-14, part: Summary}
families:
  - {family: containers, covers: [copies], since: 16, with: {kind: KIND}}
"""


def _spec(folder: Path, kind: str, text: str = IDENTITY) -> Spec:
    for name in ("types.yaml", "corpus.yaml", "schemas.json"):
        shutil.copy(SPECS / name, folder)
    (folder / "identity.yaml").write_text(text.replace("KIND", kind), "utf-8")
    _, (spec,) = read_specs(folder)
    return spec


def test_each_listed_sequence_type_has_a_case(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "sequence")
    newest = spec.versions[25].types["V"]
    listed = {text for text in newest if text.startswith("seq(")}
    assert listed == {case.bind["V"] for case in spec.cases.values()}


def test_a_sequence_may_be_empty(tmp_path: Path) -> None:
    case = _spec(tmp_path, "sequence").cases["seq_float32_empty"]
    assert {"input": SequenceLiteral(())} == case.examples[0].inputs


def test_an_optional_of_each_kind_may_hold_nothing(tmp_path: Path) -> None:
    cases = _spec(tmp_path, "optional").cases
    absent = [case.bind["V"] for name, case in cases.items() if name.endswith("_absent")]
    assert ["optional(float32)", "optional(seq(float32))"] == absent


def test_an_optional_sequence_holds_a_sequence(tmp_path: Path) -> None:
    literal = _spec(tmp_path, "optional").cases["of_optional_seq_int8"].examples[0].inputs["input"]
    assert isinstance(literal, OptionalLiteral)
    assert isinstance(literal.value, SequenceLiteral)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="kind is one of sequence, optional"):
        _spec(tmp_path, "map")


def test_other_inputs_take_the_element_type_of_the_sequence() -> None:
    _, (spec,) = read_specs(SPECS, ("sequenceinsert",))
    assert {"S": "seq(int8)", "T": "int8"} == dict(spec.cases["into_of_seq_int8"].bind)


def test_forms_hold_for_all_but_the_default_type(tmp_path: Path) -> None:
    text = IDENTITY.replace("kind: KIND", "kind: KIND, forms: [static]")
    cases = _spec(tmp_path, "optional", text).cases
    assert ("static",) == cases["of_optional_int8"].forms
    assert cases["of_optional_float32"].forms is None
