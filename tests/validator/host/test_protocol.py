"""Messages of protocol 1: what is right, and what is said of what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from places import ROOT

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.tensors import NamedValue, SequenceValue, Tensor
from onnx_conformance.validator.host import protocol
from onnx_conformance.validator.host.protocol import (
    NotJsonError,
    ProtocolError,
    parse_description,
    parse_object,
    parse_reply,
)
from onnx_conformance.validator.judging.verdicts import (
    Accepted,
    HarnessError,
    Outputs,
    Rejected,
    Unsupported,
)

SCHEMA = json.loads((Path(protocol.__file__).parents[1] / "protocol.schema.json").read_bytes())
DOCUMENT = ROOT / "docs" / "protocol.md"

ID = "shape-15/case/float32"
VALUE = {"type": "int64", "shape": [1], "data": "AgAAAAAAAAA="}
DESCRIPTION = {"protocol": 1, "name": "r", "version": "1", "model": "path"}


def valid(definition: str, message: object) -> bool:
    schema = {"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{definition}"}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(message))


def reply(**changes: object) -> dict[str, Any]:
    return {"id": ID, **changes}


# --- requests ------------------------------------------------------------------------------


def test_run_request_is_one_line_that_fits_the_schema() -> None:
    data = NamedValue("a\nb", Tensor("float32", (1,), b"\0\0\x80\x3f"))
    names = NamedValue("names", Tensor("string", (2,), (b"", b"\xff")))
    line = protocol.run_request(ID, "/v/model.onnx", ["y"], [DataSet((data, names), ())])
    assert 1 == line.count(b"\n")
    assert valid("run_request", json.loads(line))


def test_inline_request_holds_the_model() -> None:
    message = json.loads(protocol.run_request(ID, b"\x08\x07", ["y"], []))
    assert {"data": "CAc="} == message["model"]
    assert valid("run_request", message)


def test_describe_and_stop_fit_the_schema() -> None:
    assert valid("describe_request", json.loads(protocol.describe_request()))
    assert valid("stop_request", json.loads(protocol.stop_request()))


# --- the handshake -------------------------------------------------------------------------


def test_description_is_read() -> None:
    adapts = [{"adaptation": "freeze", "reason": "why"}]
    message = {**DESCRIPTION, "adapts": adapts, "max_opset": 21, "details": {"device": "cpu"}}
    description = parse_description(message)
    assert ("r", "1", "path") == (description.name, description.version, description.model)
    assert (21, tuple(adapts)) == (description.max_opset, description.adapts)
    assert message == description.raw
    assert valid("describe_reply", message)


def test_the_profile_in_a_description_is_read() -> None:
    claims = {"operators": {"Relu": "all", "Add": [13], "Abs": {"types": {"T": ["float"]}}}}
    message = {**DESCRIPTION, "profile": {**claims, "opsets": {"from": 7}, "features": []}}
    profile = parse_description(message).profile
    assert profile is not None
    assert (7, None, ()) == (profile.opset_from, profile.opset_to, profile.features)
    assert ["relu", "add", "abs"] == list(profile.operators or ())
    assert valid("describe_reply", message)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"protocol": 2}, "speaks protocol 2, this validator 1"),
        ({"protocol": True}, "speaks protocol True, this validator 1"),
        ({"name": ""}, "needs 'name' as a text"),
        ({"version": 3}, "needs 'version' as a text, not 3"),
        ({"model": "file"}, "needs 'model' as 'path' or 'inline', not 'file'"),
        ({"adapts": "freeze"}, "'adapts' of 'describe' must be a list, not 'freeze'"),
        ({"adapts": ["freeze"]}, "each of 'adapts' needs 'adaptation' and 'reason'"),
        ({"max_opset": "21"}, "'max_opset' of 'describe' must be an integer, not '21'"),
        ({"judges": "taste"}, "'judges' of 'describe' must be 'values' or 'validity'"),
        ({"details": {"device": 0}}, "'details' of 'describe' must be an object of texts"),
        ({"profile": []}, "'profile' of 'describe': a mapping is needed here, not a list"),
        ({"profile": {"operator": []}}, "'profile' of 'describe': unknown key 'operator'; did"),
        ({"profile": {"operators": {"Relu": [0]}}}, "'profile' of 'describe': 0 is outside 1 to"),
    ],
)
def test_bad_description_is_explained(changes: dict[str, object], words: str) -> None:
    message = {**DESCRIPTION, **changes}
    with pytest.raises(ProtocolError, match=re.escape(words)):
        parse_description(message)
    assert not valid("describe_reply", message)


def test_description_without_protocol_is_explained() -> None:
    message = {"name": "r", "version": "1", "model": "path"}
    with pytest.raises(ProtocolError, match="has no 'protocol'"):
        parse_description(message)
    assert not valid("describe_reply", message)


# --- replies -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "observation"),
    [
        (reply(unsupported="no strings"), Unsupported("no strings")),
        (reply(error="no driver"), HarnessError("no driver")),
        (reply(rejected={"phase": "run", "message": "no"}), Rejected("run", "no")),
        (
            reply(outputs=[[VALUE]]),
            Outputs(((NamedValue("y", Tensor("int64", (1,), b"\2" + bytes(7))),),)),
        ),
        (
            reply(outputs=[[{"sequence": []}]]),
            Outputs(((NamedValue("y", SequenceValue(())),),)),
        ),
    ],
)
def test_reply_is_read(message: dict[str, Any], observation: object) -> None:
    assert observation == parse_reply(message, ID, ["y"], 1)
    assert valid("run_reply", message)


def test_outputs_beyond_those_asked_for_are_kept_for_the_judge() -> None:
    observation = parse_reply(reply(outputs=[[VALUE, VALUE]]), ID, ["y"], 1)
    assert isinstance(observation, Outputs)
    assert ["y", "#1"] == [item.name for item in observation.data_sets[0]]


def test_accepted_is_for_those_that_judge_validity() -> None:
    assert Accepted() == parse_reply(reply(accepted=True), ID, ["y"], 1, "validity")
    with pytest.raises(ProtocolError, match="only a harness that says"):
        parse_reply(reply(accepted=True), ID, ["y"], 1)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"outputs": [[VALUE]]}, "a reply to 'run' has no 'id'"),
        (reply(), "this has none"),
        (reply(error="e", unsupported="u"), "this one has 'unsupported' and 'error'"),
        (reply(unsupported=None), "'unsupported' must be a text, not None"),
        (reply(error={"message": "e"}), "'error' must be a text"),
        (reply(rejected="no"), "'rejected' must be an object, not 'no'"),
        (reply(rejected={"phase": "parse", "message": ""}), "must be decode, load or run"),
        (reply(rejected={"phase": "load"}), "'message' of 'rejected' must be a text, not None"),
        (reply(outputs=[VALUE]), "'outputs' must be a list of lists, one for each data set"),
        (reply(outputs=[[3]]), "a value must be an object, not 3"),
        (reply(outputs=[[{"type": "int64", "shape": []}]]), "a tensor has no 'data'"),
        (reply(outputs=[[{**VALUE, "type": "long"}]]), "unknown element type 'long'"),
        (reply(outputs=[[{**VALUE, "shape": [-1]}]]), "negative dimension in shape [-1]"),
        (reply(outputs=[[{**VALUE, "shape": [1.5]}]]), "'shape' must be a list of integers"),
        (reply(outputs=[[{**VALUE, "data": "!"}]]), "'data' is not base64"),
        (reply(outputs=[[{**VALUE, "type": "string"}]]), "takes a list"),
        (reply(outputs=[[{"sequence": 1}]]), "'sequence' must be a list, not 1"),
    ],
)
def test_bad_reply_is_explained(message: dict[str, Any], words: str) -> None:
    with pytest.raises(ProtocolError, match=re.escape(words)):
        parse_reply(message, ID, ["y"], 1)
    assert not valid("run_reply", message)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({**reply(error="e"), "id": "other"}, f"a reply for 'other' came while '{ID}' was due"),
        (reply(outputs=[]), "'outputs' has 0 data sets; the request had 1"),
        (
            reply(outputs=[[{**VALUE, "shape": [2]}]]),
            "output 'y' of data set 0: shape [2] of int64 needs 16 bytes, 8 given",
        ),
    ],
)
def test_reply_that_contradicts_the_request_is_explained(
    message: dict[str, Any], words: str
) -> None:
    # No schema can know this: it takes the request as well.
    with pytest.raises(ProtocolError, match=re.escape(words)):
        parse_reply(message, ID, ["y"], 1)


@pytest.mark.parametrize(
    "line", [b"hello", b"", b"[1]", b"3", b'{"a": NaN}', b'{"a": Infinity}', b'{"a"', b"\xff{}"]
)
def test_what_is_no_json_object_is_refused(line: bytes) -> None:
    with pytest.raises(NotJsonError):
        parse_object(line)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(NotJsonError):
        parse_object(b'{"a":' + b"[" * 200_000)


# --- the document --------------------------------------------------------------------------


def conversation() -> list[tuple[str, dict[str, Any]]]:
    block = DOCUMENT.read_text(encoding="utf-8").split("```")[1]
    return [(line[0], json.loads(line[2:])) for line in block.strip().splitlines()]


def test_conversation_in_the_document_fits_the_schema() -> None:
    lines = conversation()
    assert ["describe", "run", "run", "run", "stop"] == [
        message["command"] for mark, message in lines if mark == ">"
    ]
    for mark, message in lines:
        assert valid("request" if mark == ">" else "reply", message), message


def test_replies_in_the_document_are_understood() -> None:
    asked: dict[str, Any] = {}
    kinds = []
    for mark, message in conversation()[2:]:
        if mark == ">":
            asked = message
        else:
            sets = len(asked["data_sets"])
            observation = parse_reply(message, asked["id"], asked["outputs"], sets)
            kinds.append(type(observation))
    assert [Outputs, Rejected, Unsupported] == kinds
