"""A node with its values becomes the call of an oracle, or is refused for its counts and types."""

from __future__ import annotations

import struct

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.validity.binding import make_call

ONE = Tensor("float32", (), struct.pack("<f", 1.0))


def refused(operator: str, values: list[Tensor | None], outputs: list[str]) -> list[str]:
    """The rules that the call breaks."""
    signature = installed_signatures().version("", operator, 25)
    assert signature is not None
    rules: list[str] = []
    make_call(signature, {}, values, outputs, lambda rule, _: rules.append(rule))
    return rules


@pytest.mark.parametrize(
    ("operator", "values", "outputs", "rule"),
    [
        ("Add", [ONE], ["C"], "as-many-inputs"),
        ("Add", [ONE, ONE, ONE], ["C"], "as-many-inputs"),
        ("Max", [], ["max"], "as-many-inputs"),
        ("Add", [ONE, None], ["C"], "inputs-are-there"),
        ("Add", [ONE, ONE], ["C", "D"], "as-many-outputs"),
        ("TopK", [ONE, ONE], ["Values"], "as-many-outputs"),
    ],
)
def test_a_call_with_other_counts_than_its_signature_is_refused(
    operator: str, values: list[Tensor | None], outputs: list[str], rule: str
) -> None:
    assert rule in refused(operator, values, outputs)


@pytest.mark.parametrize("values", [[ONE], [ONE, None], [ONE, None, ONE], [ONE, ONE, ONE]])
def test_an_optional_input_may_be_left_out(values: list[Tensor | None]) -> None:
    assert [] == refused("Clip", values, ["output"])


def test_a_variadic_input_takes_any_number() -> None:
    assert [] == refused("Max", [ONE] * 9, ["max"])
