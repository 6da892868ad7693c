"""A drawn call as a case: it reads back as the same call, under a requirement."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from places import SPECS

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.exploring.ids import parse_id
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.generators.exploring.installed import installed_explorer
from onnx_conformance.generators.exploring.promoting import inserted, promoted
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.situations.bindings import bound_types
from onnx_conformance.generators.situations.given import given_attributes, given_inputs
from onnx_conformance.generators.situations.variants import Variant

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["explore/add-14/s7.1", "explore/clip-13/s7.2", "explore/topk-24/s7.0"]
NAMES += ["explore/cast-25/s7.4", "explore/concat-13/s7.1", "explore/pad-25/s7.5"]


def vectors(*words: object) -> int:
    return dispatch("onnx-vectors", "", COMMANDS, list(map(str, words)))


def specs_with(tmp_path: Path, operator: str) -> Path:
    for name in (f"{operator}.yaml", "corpus.yaml", "types.yaml", "schemas.json"):
        shutil.copy(SPECS / name, tmp_path / name)
    return tmp_path / f"{operator}.yaml"


@pytest.mark.parametrize("name", NAMES)
def test_a_promoted_call_reads_back_as_the_same_call(name: str, tmp_path: Path) -> None:
    call = installed_explorer().drawing(parse_id(name))
    assert call is not None
    path = specs_with(tmp_path, call.spec.slug)  # type: ignore[attr-defined]
    path.write_text(inserted(path.read_text(), promoted(call, name="found_by_chance")))
    facts, (spec,) = read_specs(tmp_path, (path.stem,))
    case, version = spec.cases["found_by_chance"], spec.versions[call.version.since_version]  # type: ignore[attr-defined]
    types = bound_types(spec, version, case)
    opset = call.operator_opset  # type: ignore[attr-defined]
    variant = Variant(spec, case, version, opset, facts.model_opset("", opset), types)
    given = given_inputs(variant, case.examples[0], 0)
    # A spec knows one NaN: its payload is not written.
    pairs = zip(call.inputs, given, strict=True)  # type: ignore[attr-defined]
    assert all(one.name == other.name for one, other in pairs)
    pairs = zip(call.inputs, given, strict=True)  # type: ignore[attr-defined]
    assert {None} == {compare(one.value, other.value).difference for one, other in pairs}
    by_name = {item.name: item.value for item in given_attributes(variant)}
    assert {item.name: item.value for item in call.attributes} == by_name  # type: ignore[attr-defined]


def test_a_requirement_that_does_not_hold_is_refused_with_those_that_do() -> None:
    call = installed_explorer().drawing(parse_id(NAMES[0]))
    with pytest.raises(BadInputError, match=r"no requirement that holds at version 14: .*sum"):
        promoted(call, covers="heard-of-nowhere")


def test_the_command_writes_a_case_that_the_spec_then_has(tmp_path: Path) -> None:
    path = specs_with(tmp_path, "add")
    words = ("promote", NAMES[0], "--specs", tmp_path, "--name", "found_by_chance", "--write")
    assert vectors(*words) == ExitCode.OK
    assert "found_by_chance" in read_specs(tmp_path, (path.stem,))[1][0].cases


def test_what_the_corpus_shows_already_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tmp_path / "found.jsonl"
    cause = {"id": NAMES[0], "known": "add-14/example/float32"}
    found.write_text(json.dumps({"record": "footer", "explored": {"causes": [cause]}}) + "\n")
    assert vectors("promote", NAMES[0], "--found", found) == ExitCode.BAD_INPUT
    assert "add-14/example/float32 shows the same" in capsys.readouterr().err
