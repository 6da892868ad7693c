"""Sends a harness the requests in request.json, and prints its answers beside the required ones.

This file is copied into every bundle that `onnx-validate repro` writes. People who have the runtime
run it there: it needs Python 3.8 or later and the standard library, and nothing of
onnx-conformance. Exit code: 0 as required, 3 not as required. Any other code says nothing about the
runtime: for example, the harness cannot start, or the valid control does not pass.
"""

# ruff: noqa: T201, B905  it prints, and Python 3.8 has no zip(strict)

from __future__ import annotations

import base64
import contextlib
import json
import math
import platform
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SECONDS = 120
AS_REQUIRED, CANNOT_SAY, NOT_AS_REQUIRED = 0, 1, 3
SHOWN = 64
FLOATS = {"float16": ("e", 2), "float32": ("f", 4), "float64": ("d", 8), "bfloat16": ("", 2)}
# Type -> the bytes that are NaN.
NAN_BYTES = {
    "float8e4m3fn": (0x7F, 0xFF),
    "float8e4m3fnuz": (0x80,),
    "float8e5m2": (0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF),
    "float8e5m2fnuz": (0x80,),
    "float8e8m0": (0xFF,),
}


class CannotSayError(Exception):
    """The runtime cannot be judged, for this reason."""


class Harness:
    """The child that runs the runtime."""

    def __init__(self, command: list[str]) -> None:
        """Start it and read its description; CannotSayError if it gives none."""
        words = [word.replace("{here}", str(HERE)) for word in command]
        words = [sys.executable if word == "{python}" else word for word in words]
        try:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise CannotSayError(f"the harness does not start: {error}") from None
        self.description = self.ask({"command": "describe", "protocol": 1}, "name")
        if self.description is None:
            raise CannotSayError(f"the harness does not describe itself: {self.end()}")

    def ask(self, request: dict[str, Any], key: str) -> dict[str, Any] | None:
        """The reply that has `key`; None if the harness ended or hung before it."""
        if self.process.stdin is None or self.process.stdout is None:
            return None
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                try:
                    reply = json.loads(line)
                except ValueError:
                    print("on standard output:", line[:200], file=sys.stderr)
                    continue
                if isinstance(reply, dict) and key in reply:
                    return reply
        except OSError:
            pass
        finally:
            timer.cancel()
        return None

    def end(self) -> str:
        """End it, and return how it ended."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return f"exit {code}" if code >= 0 else f"signal {-code}, or no reply in {SECONDS} s"


def main() -> int:
    """Send the requests; return the exit code."""
    document = json.loads((HERE / "request.json").read_text(encoding="utf-8"))
    print(document["about"])
    for text in document["required"]:
        print("required:", text)
    try:
        return ask_all(document)
    except CannotSayError as error:
        print("nothing can be said here:", error)
        return CANNOT_SAY


def ask_all(document: dict[str, Any]) -> int:
    """Send the controls first: if one of them does not pass, a refusal proves nothing."""
    harness = Harness(document["command"])
    described = harness.description or {}
    print(
        f"{described.get('name')} {described.get('version')}, Python {platform.python_version()},"
        f" {platform.platform()}"
    )
    try:
        if all(run(harness, control) == AS_REQUIRED for control in document["controls"]):
            return run(harness, document["request"])
    finally:
        harness.end()
    raise CannotSayError("the valid control does not pass, so a refusal proves nothing")


def run(harness: Harness, asked: dict[str, Any]) -> int:
    """Send one request; print and judge the reply."""
    path = HERE / asked["model"]
    if not path.is_file():
        raise CannotSayError(f"{path} is missing")
    inline = (harness.description or {}).get("model") == "inline"
    model = (
        {"data": base64.b64encode(path.read_bytes()).decode()} if inline else {"path": str(path)}
    )
    keys = ("id", "outputs", "data_sets")
    request = {"command": "run", "model": model, **{key: asked[key] for key in keys}}
    reply = harness.ask(request, "id")
    print(f"{asked['model']}: {asked['id']}")
    if reply is None:
        print("NOT AS REQUIRED: no reply:", harness.end())
        return NOT_AS_REQUIRED
    if "error" in reply:
        raise CannotSayError(f"the harness failed: {reply['error']}")
    if "outputs" in reply:
        return judge_outputs(asked, reply["outputs"])
    if "rejected" in reply:
        refused = reply["rejected"]
        words = f"refused at {refused.get('phase')}: {refused.get('message')}"
        if asked["rejection_permitted"]:
            print("as required,", words)
            return AS_REQUIRED
        print("NOT AS REQUIRED:", words)
        return NOT_AS_REQUIRED
    if "accepted" in reply:
        good = asked["expect"] == "outputs"
        print("accepted," if good else "NOT AS REQUIRED: accepted,", "validity alone was judged")
        return AS_REQUIRED if good else NOT_AS_REQUIRED
    words = f"unsupported: {reply.get('unsupported')}"
    if asked["expect"] == "rejection":
        raise CannotSayError(words)
    print("NOT AS REQUIRED:", words)
    return NOT_AS_REQUIRED


def judge_outputs(asked: dict[str, Any], outputs: list[Any]) -> int:
    """Compare outputs with each permitted result; one of them must fit."""
    for number, values in enumerate(outputs):
        for name, value in zip(asked["outputs"], values):
            print(f"data set {number}, {name}: got      {shown(value)}")
    if asked["expect"] == "rejection":
        print("NOT AS REQUIRED: accepted, though invalid")
        return NOT_AS_REQUIRED
    for label, required in asked["permitted"].items():
        if matches(asked, required, outputs):
            print("as required" + (f": {label}" if label else ""))
            return AS_REQUIRED
    for label, required in asked["permitted"].items():
        for number, values in enumerate(required):
            for name, value in zip(asked["outputs"], values):
                print(f"data set {number}, {name}: required {shown(value)} {label}".rstrip())
    if asked["by_eye"]:
        raise CannotSayError("the document leaves single elements open: compare by eye")
    print("NOT AS REQUIRED")
    return NOT_AS_REQUIRED


def matches(asked: dict[str, Any], required: list[Any], outputs: list[Any]) -> bool:
    """Whether all outputs of all data sets are the required ones."""
    if [len(values) for values in required] != [len(values) for values in outputs]:
        return False
    return all(
        fits(asked, want, got)
        for expected, given in zip(required, outputs)
        for want, got in zip(expected, given)
    )


def fits(asked: dict[str, Any], want: Any, got: Any) -> bool:  # noqa: ANN401  values of protocol 1
    """Whether a value is the required one, or within its limits if it has some."""
    low, high = want.get("low"), want.get("high")
    plain = {key: item for key, item in want.items() if key not in ("low", "high", "name")}
    got = {key: item for key, item in got.items() if key != "name"}
    if plain == got and low is None:
        return True
    keys = ("type", "shape")
    if "data" not in plain or any(plain.get(key) != got.get(key) for key in keys):
        return False
    if plain["type"] in NAN_BYTES:
        nan = NAN_BYTES[plain["type"]]
        pairs = zip(base64.b64decode(plain["data"]), base64.b64decode(got["data"]))
        return all(one == other or (one in nan and other in nan) for one, other in pairs)
    try:
        centre, numbers = numbers_of(plain), numbers_of(got)
        lows = centre if low is None else numbers_of(low)
        highs = centre if high is None else numbers_of(high)
    except (TypeError, ValueError, struct.error):
        return False  # not numbers, or not as many bytes as its shape needs
    return len(numbers) == len(centre) and all(
        near(asked, item, one, other, middle)
        for item, one, other, middle in zip(numbers, lows, highs, centre)
    )


def near(asked: dict[str, Any], got: float, low: float, high: float, centre: float) -> bool:
    """Whether a number is between its limits, or near enough by rtol and atol."""
    if math.isnan(centre) or math.isnan(got):
        return math.isnan(centre) and math.isnan(got)
    if ordered(low) <= ordered(got) <= ordered(high):
        return True
    if not (asked["rtol"] or asked["atol"]) or math.isinf(centre) or math.isinf(got):
        return centre == got and bool(asked["rtol"] or asked["atol"])
    return bool(abs(got - centre) <= asked["atol"] + asked["rtol"] * abs(centre))


def numbers_of(value: dict[str, Any]) -> list[Any]:
    """The numbers of a tensor; TypeError if it has none."""
    found = floats(value)
    if found is None:
        found = integers(value)
        if any(isinstance(item, str) for item in found):
            raise TypeError(value["type"])
    return found


def ordered(number: float) -> tuple[float, float]:
    """A sort key: by value, with -0 before +0."""
    return number, math.copysign(1.0, number)


def floats(value: dict[str, Any]) -> list[float] | None:
    """The numbers of a tensor of floats or of complex numbers; None for other types."""
    name = {"complex64": "float32", "complex128": "float64"}.get(value["type"], value["type"])
    if name not in FLOATS:
        return None
    data = base64.b64decode(value["data"])
    code, size = FLOATS[name]
    if name == "bfloat16":  # the upper half of a float32
        halves = [data[index : index + 2] for index in range(0, len(data), 2)]
        return [struct.unpack("<f", b"\0\0" + half)[0] for half in halves]
    return list(struct.unpack(f"<{len(data) // size}{code}", data))


def shown(value: Any) -> str:  # noqa: ANN401  a value of protocol 1
    """A value in words, shortened if it is long."""
    if not isinstance(value, dict) or "data" not in value:
        return json.dumps(value)[: 4 * SHOWN]
    head = f"{value.get('type')} {value.get('shape')}"
    try:
        elements: Any = floats(value)
        if elements is None and isinstance(value["data"], list):
            elements = [base64.b64decode(item) for item in value["data"]]
        if elements is None:
            elements = integers(value)
    except (ValueError, TypeError, KeyError, struct.error):
        return head
    more = f" … {len(elements)} elements" if len(elements) > SHOWN else ""
    return f"{head} {elements[:SHOWN]}{more}"


def integers(value: dict[str, Any]) -> list[Any]:
    """The elements as integers; for other types as bytes."""
    data = base64.b64decode(value["data"])
    name = value["type"]
    signed = name.startswith("int")
    digits = name.lstrip("uint")
    size = int(digits) // 8 if digits in ("8", "16", "32", "64") else 0
    if name == "bool":
        return [bool(item) for item in data]
    if not size:
        return [f"bytes {data[:SHOWN].hex()}"] if data else []
    return [
        int.from_bytes(data[index : index + size], "little", signed=signed)
        for index in range(0, len(data), size)
    ]


if __name__ == "__main__":
    sys.exit(main())
