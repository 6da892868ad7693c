"""Reads the snapshot of ONNX's schemas: specs/schemas.json.

The file is parsed once. Signatures are only made for the operators that are needed, so that a
command about one operator does not wait for the other 226.
"""

from __future__ import annotations

import difflib
import json
import struct
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import stamp

from .model import Attribute, Default, Option, Parameter, Signature

FILE_NAME = "schemas.json"

_KEYS = {"onnx", "opsets", "types", "operators"}


def read_signatures(path: Path) -> Signatures:
    """The signatures in a snapshot; BadInputError if it is missing or is not a snapshot."""
    return _read_signatures(path, stamp(path))


@lru_cache(maxsize=4)
def _read_signatures(path: Path, _stamp: object) -> Signatures:
    """As `read_signatures`, once for each content of the file."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadInputError(f"{path}: is not there; `onnx-vectors schemas` writes it") from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise BadInputError(
            f"{path}: is not readable as JSON: {error}; `onnx-vectors schemas` writes it anew"
        ) from None
    if not isinstance(content, dict) or not content.keys() >= _KEYS:
        raise BadInputError(
            f"{path}: is no snapshot of ONNX's schemas; `onnx-vectors schemas` writes it anew"
        )
    return Signatures(content)


class Signatures:
    """The signatures of a snapshot.

    Attributes:
        onnx_version: version of the onnx that the snapshot was made from.
        opsets: newest opset of each domain.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        """`content` is the result of `snapshot.snapshot`, and the content of the file."""
        self.onnx_version: str = content["onnx"]
        self.opsets: Mapping[str, int] = content["opsets"]
        self._type_sets: Mapping[str, list[str]] = content["types"]
        self._operators: Mapping[str, Mapping[str, Mapping[str, Any]]] = content["operators"]

    def operators(self) -> tuple[tuple[str, str], ...]:
        """(domain, operator) of all, sorted."""
        return tuple(
            sorted((domain, name) for domain, names in self._operators.items() for name in names)
        )

    def versions(self, domain: str, operator: str) -> tuple[Signature, ...]:
        """All versions of an operator, deprecated ones too, the oldest first.

        Raises:
            BadInputError: onnx has no such operator in that domain; the message names similar ones.
        """
        entries = self._operators.get(domain, {}).get(operator)
        if entries is None:
            raise BadInputError(self._unknown(domain, operator))
        numbers = sorted(int(number) for number in entries)
        ends = [number - 1 for number in numbers[1:]] + [self.opsets[domain]]
        try:
            return tuple(
                self._signature(domain, operator, (number, last), entries[str(number)])
                for number, last in zip(numbers, ends, strict=True)
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInputError(
                f"{FILE_NAME}: '{operator}' is damaged: {type(error).__name__} {error};"
                " `onnx-vectors schemas` writes the file anew"
            ) from None

    def version(self, domain: str, operator: str, opset: int) -> Signature | None:
        """The version that is in force at an opset of the domain; None before the first version.

        Raises:
            BadInputError: onnx has no such operator in that domain.
        """
        before = (item for item in self.versions(domain, operator) if item.since_version <= opset)
        return max(before, key=lambda item: item.since_version, default=None)

    def _unknown(self, domain: str, operator: str) -> str:
        where = f"domain '{domain}'" if domain else "the default domain"
        message = f"onnx {self.onnx_version} has no operator '{operator}' in {where}"
        elsewhere = [name for name, names in self._operators.items() if operator in names]
        if elsewhere:
            domains = " and ".join(f"'{name}'" if name else "the default one" for name in elsewhere)
            return f"{message}; it is in {domains}"
        if domain not in self._operators:
            known = ", ".join(f"'{name}'" for name in sorted(self._operators) if name)
            return f"{message}; there are the default domain and {known}"
        near = difflib.get_close_matches(operator, self._operators[domain], n=1)
        return f"{message}; did you mean '{near[0]}'?" if near else message

    def _signature(
        self, domain: str, operator: str, in_force: tuple[int, int], entry: Mapping[str, Any]
    ) -> Signature:
        inputs = tuple(_parameter(text) for text in entry["inputs"])
        outputs = [_parameter(text) for text in entry["outputs"]]
        return Signature(
            domain=domain,
            operator=operator,
            since_version=in_force[0],
            last_opset=in_force[1],
            deprecated=entry.get("deprecated", False),
            inputs=inputs,
            outputs=_with_names_of_their_own(outputs, {item.name for item in inputs}),
            attributes=_attributes(entry),
            types={
                variable: tuple(self._type_sets[types] if isinstance(types, str) else types)
                for variable, types in entry["types"].items()
            },
            function=entry.get("function", False),
            context_function=entry.get("context_function", False),
        )


def parameter_text(parameter: Parameter) -> str:
    """A parameter in the words of the snapshot, e.g. `axes: int64 optional`."""
    words = [f"{parameter.name}: {parameter.type}"]
    if parameter.option != Option.SINGLE:
        words.append(parameter.option)
    if not parameter.homogeneous:
        words.append("heterogeneous")
    if parameter.min_arity != 1:
        words.append(f"from {parameter.min_arity}")
    return " ".join(words)


def _with_names_of_their_own(
    outputs: Sequence[Parameter], taken: Container[str]
) -> tuple[Parameter, ...]:
    """The outputs, renamed where an input has the same name.

    The first versions of BatchNormalization have inputs mean and var and outputs with the same
    names. In a graph a name means one value, so these become mean_out and var_out.
    """
    return tuple(
        replace(item, name=f"{item.name}_out") if item.name in taken else item for item in outputs
    )


def _parameter(text: str) -> Parameter:
    name, _, rest = text.partition(": ")
    type_text, *words = rest.split(" ")
    options = (Option.OPTIONAL, Option.VARIADIC)
    option = next((item for item in options if item in words), Option.SINGLE)
    return Parameter(
        name,
        type_text,
        option,
        homogeneous="heterogeneous" not in words,
        min_arity=int(words[words.index("from") + 1]) if "from" in words else 1,
    )


def _attributes(entry: Mapping[str, Any]) -> dict[str, Attribute]:
    defaults = entry.get("defaults", {})
    attributes = {}
    for name, text in entry.get("attributes", {}).items():
        type_name, _, required = text.partition(" ")
        default = _default(type_name, defaults[name]) if name in defaults else None
        attributes[name] = Attribute(name, type_name, required == "required", default)
    return attributes


def _default(type_name: str, value: Any) -> Default:  # noqa: ANN401 - what JSON makes of it
    """A default in the form that the attribute has: floats are float32, lists are tuples."""
    if type_name == "float":
        return _float32(value)
    if type_name == "floats":
        return tuple(_float32(item) for item in value)
    default: Default = tuple(value) if isinstance(value, list) else value
    return default


def _float32(value: float) -> float:
    """The float32 for the shortest decimal, which the file has."""
    result: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return result
