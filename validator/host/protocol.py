"""Protocol 1: the messages between the validator and a harness (docs/protocol.md).

The life of a harness: it is started, answers `describe`, answers each `run` in order, and ends at
`stop` or at the end of its input. This module turns requests into lines, and lines into
observations; `engine` sends them, and handles a child that breaks the rules.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onnx_conformance.core.corpus.vectors import PHASES, DataSet, Phase
from onnx_conformance.core.documents import finite, is_deeper, refuse_constant
from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.limits import DEPTH, LARGEST_DIMENSION, MESSAGE, NAME
from onnx_conformance.core.text import brief, cut, one_line
from onnx_conformance.core.values.tensors import ContradictoryShapeError, NamedValue
from onnx_conformance.core.values.wire import Budget, from_wire, to_wire

from ..judging.verdicts import Accepted, HarnessError, Observation, Outputs, Rejected, Unsupported
from ..profiles.profile import Profile
from ..profiles.reading import profile_of_json

PROTOCOL = 1
_LENGTH = 160  # characters of a harness's message that our messages quote
_LOOKED_AT = 4 * _LENGTH
MODEL_FORMS = ("path", "inline")
JUDGES = ("values", "validity")
RESULTS = ("outputs", "accepted", "rejected", "unsupported", "error")


class ProtocolError(ConformanceError):
    """A harness sent something that protocol 1 does not permit."""


class AbsurdOutputError(ProtocolError):
    """An output with an impossible shape: negative, or contradicting its elements.

    The harness passes on what the runtime returned, so the runtime did accept and run the model.
    """


class NotJsonError(ProtocolError):
    """A line that is not a JSON object: noise, unless a reply was expected in its place."""


@dataclass(frozen=True)
class Description:
    """A harness's description of itself.

    Attributes:
        name, version: those of the judged runtime.
        model: `path` or `inline`: how it expects a model.
        adapts: its changes to a model before the runtime sees it: {"adaptation", "reason"} each.
        max_opset: highest opset that it accepts, or None.
        judges: `values`, or `validity` if it only accepts or rejects.
        details: further strings for reports.
        profile: what it claims to support; None if it claims nothing in particular.
        raw: the reply, unchanged, for the results file.
    """

    name: str
    version: str
    model: str
    adapts: tuple[Mapping[str, str], ...] = ()
    max_opset: int | None = None
    judges: str = "values"
    details: Mapping[str, str] = field(default_factory=dict)
    profile: Profile | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


def difference(first: Description, other: Description) -> str:
    """How two children of one backend describe themselves differently; empty if they do not."""
    keys = dict.fromkeys((*first.raw, *other.raw))
    for key in keys:
        before, now = first.raw.get(key), other.raw.get(key)
        if before != now:
            return (
                f"its children differ: the first says that its {brief(key)} is"
                f" {brief(before)}, a later one {brief(now)}"
            )
    return ""


# --- requests ------------------------------------------------------------------------------


def describe_request() -> bytes:
    """The first request, which asks the harness to describe itself."""
    return _line({"command": "describe", "protocol": PROTOCOL})


def stop_request() -> bytes:
    """The last request, which has no reply."""
    return _line({"command": "stop"})


def run_request(
    vector_id: str,
    model: str | bytes,
    outputs: Sequence[str],
    data_sets: Sequence[DataSet],
) -> bytes:
    """The request to run a model, given as path or bytes, on the inputs of each data set."""
    form = (
        {"data": b64encode(model).decode("ascii")} if isinstance(model, bytes) else {"path": model}
    )
    return _line(
        {
            "command": "run",
            "id": vector_id,
            "model": form,
            "outputs": list(outputs),
            "data_sets": [
                [{"name": item.name, **to_wire(item.value)} for item in data_set.inputs]
                for data_set in data_sets
            ],
        }
    )


def _line(message: Mapping[str, Any]) -> bytes:
    return _ENCODER.encode(message).encode("ascii") + b"\n"


# --- replies -------------------------------------------------------------------------------


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object on a line; NotJsonError if it is not one.

    NaN, a number too large for a double and an object with a repeated key are not JSON here.
    """
    try:
        document = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotJsonError(f"is not JSON ({_reason(error)}): {brief(line)}") from None
    if not isinstance(document, dict):
        raise NotJsonError(f"is not a JSON object: {brief(line)}")
    return document


def parse_description(document: Mapping[str, Any]) -> Description:
    """The reply to `describe`; ProtocolError says which key is wrong and what it must be."""
    if "protocol" not in document:
        raise ProtocolError("the reply to 'describe' has no 'protocol'")
    if type(document["protocol"]) is not int or document["protocol"] != PROTOCOL:
        raise ProtocolError(
            f"the harness speaks protocol {brief(document['protocol'])}, this validator {PROTOCOL}"
        )
    for key in ("name", "version"):
        text = document.get(key)
        if not isinstance(text, str) or not text or len(text) > NAME:
            raise ProtocolError(
                f"the reply to 'describe' needs '{key}' as a text, not {brief(text)}"
                + (f" of {len(text)} characters" if isinstance(text, str) and text else "")
            )
    if document.get("model") not in MODEL_FORMS:
        raise ProtocolError(
            "the reply to 'describe' needs 'model' as 'path' or 'inline',"
            f" not {brief(document.get('model'))}"
        )
    limit = document.get("max_opset")
    if limit is not None and (type(limit) is not int or not 0 < limit <= LARGEST_DIMENSION):
        raise ProtocolError(f"'max_opset' of 'describe' must be an integer, not {brief(limit)}")
    judges = document.get("judges", "values")
    if judges not in JUDGES:
        raise ProtocolError(
            f"'judges' of 'describe' must be 'values' or 'validity', not {brief(judges)}"
        )
    if is_deeper(document, DEPTH):
        raise ProtocolError(f"the reply to 'describe' is nested more than {DEPTH} deep")
    return Description(
        name=document["name"],
        version=document["version"],
        model=document["model"],
        adapts=_adaptations(document.get("adapts")),
        max_opset=limit,
        judges=judges,
        details=_details(document.get("details")),
        profile=_profile(document.get("profile")),
        raw=document,
    )


def _profile(value: Any) -> Profile | None:  # noqa: ANN401  from a harness
    if value is None:
        return None
    try:
        return profile_of_json(value)
    except BadInputError as error:
        raise ProtocolError(f"'profile' of 'describe': {one_line(str(error), 300)}") from None


def _adaptations(value: Any) -> tuple[Mapping[str, str], ...]:  # noqa: ANN401  from a harness
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ProtocolError(f"'adapts' of 'describe' must be a list, not {brief(value)}")
    for item in value:
        if not isinstance(item, dict) or not all(
            isinstance(item.get(key), str) for key in ("adaptation", "reason")
        ):
            raise ProtocolError(
                f"each of 'adapts' needs 'adaptation' and 'reason' as texts, not {brief(item)}"
            )
    return tuple(value)


def _details(value: Any) -> Mapping[str, str]:  # noqa: ANN401  from a harness
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ProtocolError(
            f"'details' of 'describe' must be an object of texts, not {brief(value)}"
        )
    return value


def parse_reply(
    document: Mapping[str, Any],
    vector_id: str,
    outputs: Sequence[str],
    data_sets: int,
    judges: str = "values",
) -> Observation:
    """The observation that a reply to the `run` of `vector_id` means.

    Raises ProtocolError, in words for the author of the harness, if the reply is for another
    vector, is not exactly one of the results, or holds a value that contradicts itself.
    """
    found = document.get("id")
    if found != vector_id:
        if "id" not in document:
            raise ProtocolError(f"a reply to 'run' has no 'id': {brief(document)}")
        raise ProtocolError(
            f"wrong id: a reply for {brief(found)} came while '{vector_id}' was due"
        )
    given = [key for key in RESULTS if key in document]
    if len(given) != 1:
        raise ProtocolError(
            "a reply needs exactly one of 'outputs', 'rejected', 'unsupported', 'error' (or"
            " 'accepted');"
            + (f" this one has {' and '.join(map(repr, given))}" if given else " this has none")
        )
    value = document[given[0]]
    if given[0] == "outputs":
        return _outputs(value, outputs, data_sets)
    if given[0] == "accepted":
        if value is not True or judges != "validity":
            raise ProtocolError(
                "'accepted' must be true, and only a harness that says"
                ' "judges": "validity" in its handshake may say it'
            )
        return Accepted()
    if given[0] == "rejected":
        return _rejected(value)
    if not isinstance(value, str):
        raise ProtocolError(f"'{given[0]}' must be a text, not {brief(value)}")
    words = cut(value, MESSAGE)
    return Unsupported(words) if given[0] == "unsupported" else HarnessError(words)


def _rejected(value: Any) -> Rejected:  # noqa: ANN401  from a harness
    if not isinstance(value, dict):
        raise ProtocolError(f"'rejected' must be an object, not {brief(value)}")
    if value.get("phase") not in PHASES:
        raise ProtocolError(
            f"'phase' of 'rejected' must be decode, load or run, not {brief(value.get('phase'))}"
        )
    if not isinstance(value.get("message"), str):
        raise ProtocolError(
            f"'message' of 'rejected' must be a text, not {brief(value.get('message'))}"
        )
    return Rejected(Phase(value["phase"]), cut(value["message"], MESSAGE))


def _outputs(value: Any, names: Sequence[str], data_sets: int) -> Outputs:  # noqa: ANN401
    if not isinstance(value, list) or not all(isinstance(item, list) for item in value):
        raise ProtocolError(
            f"'outputs' must be a list of lists, one for each data set, not {brief(value)}"
        )
    if len(value) != data_sets:
        raise ProtocolError(f"'outputs' has {len(value)} data sets; the request had {data_sets}")
    budget = Budget()  # shared by all outputs
    return Outputs(
        tuple(
            tuple(
                _output(item, names[index] if index < len(names) else f"#{index}", number, budget)
                for index, item in enumerate(values)
            )
            for number, values in enumerate(value)
        )
    )


def _output(
    wire: Any,  # noqa: ANN401  from a harness
    name: str,
    data_set: int,
    budget: Budget,
) -> NamedValue:
    try:
        return NamedValue(name, from_wire(wire, budget))
    except BadInputError as error:
        absurd = isinstance(error, ContradictoryShapeError)
        kind = AbsurdOutputError if absurd else ProtocolError
        raise kind(f"output '{name}' of data set {data_set}: {error}") from None


def quoted(text: str) -> str:
    """Text from a harness, on one short line for an error message."""
    return one_line(text[:_LOOKED_AT], _LENGTH)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "too large for the memory" if isinstance(error, MemoryError) else str(error)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {brief(twice)} is there twice")
    return found


# Made once: `json.loads` and `json.dumps` with options would make one for every vector.
_DECODER = json.JSONDecoder(
    parse_constant=refuse_constant, parse_float=finite, object_pairs_hook=_without_duplicates
)
# ASCII: a harness in a language without Unicode strings still reads every name.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
