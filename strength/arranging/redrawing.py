"""Whether a call says by itself that its result is one value, whatever its data are.

Filling, summing nothing, one class: no other elements would tell more. That is asked and not
argued: the elements of the inputs that may be any are drawn anew, and the oracle answers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import encode
from onnx_conformance.generators.oracle.index import module_of
from onnx_conformance.generators.oracle.registry import Call, Result, compute
from onnx_conformance.generators.signatures.model import Signature

from ..changing import each_of
from ..deadlines import deadline
from ..names import split_name
from ..trying.judged_vectors import first_reading
from ..trying.sampling import Code, drawn, random_code
from ..vectors import is_of_sizes
from .data import Plainness
from .evidence import Evidence

_DRAWS, _SECONDS = 24, 2.0
# Of these types alone are inputs that say where, how far and how many.
_WHERE = frozenset({"int32", "int64"})
_FEW = 4


class Redrawing:
    """Asks the calls of vectors, by id, whether they say so themselves."""

    def __init__(self, folder: Path, entries: Mapping[str, Entry]) -> None:
        """`folder` has the vectors, `entries` those that may be asked."""
        self._folder, self._entries = folder, entries
        self._evidence: dict[str, Evidence] = {}

    def says_so(self, plain: Plainness) -> bool:
        """Whether each call of a vector gives one value whatever its data are.

        No vector of whole models says so, and none that is large.
        """
        entry = self._entries[plain.id]
        domain, operator = split_name(plain.operator)
        if (domain, operator) not in module_of() or is_of_sizes(entry):
            return False
        if plain.operator not in self._evidence:
            self._evidence[plain.operator] = Evidence(self._folder, domain, operator)
        asked = self._evidence[plain.operator].asked(entry)
        versions = installed_signatures().versions(domain, operator)
        by_number = {item.since_version: item for item in versions}
        return asked is not None and all(
            has_one_value(call, by_number[call.since_version]) for call in asked.calls
        )


def has_one_value(call: Call, signature: Signature) -> bool:
    """Whether a call gives one value in each output, and so does each like it with other data.

    A call of whose like none is answered says nothing by itself.
    """
    data = [name for name in call.inputs if name not in _where(signature)]
    if not _is_one_value(first_reading(compute, call)):
        return False
    if not data:
        return True
    chance = random.Random(f"redrawn {call.operator}")  # noqa: S311  can be made again
    answered = False
    for number in range(_DRAWS):
        other = _redrawn(call, data, chance, random_code if number % 2 else _small_code)
        try:
            with deadline(_SECONDS):
                result = first_reading(compute, other)
        except Exception:  # noqa: S112  refused, left open or too slow: it says nothing
            continue
        if not _is_one_value(result):
            return False
        answered = True
    return answered


def _is_one_value(result: Result) -> bool:
    """Whether no output has two elements that differ."""
    grids = [item for item in result if isinstance(item, Grid)]
    return all(len(set(map(repr, grid.items))) <= 1 for grid in grids)


def _where(signature: Signature) -> frozenset[str]:
    """The inputs whose elements are no data: of integers alone, and of no output's type."""
    outputs = {item.type for item in signature.outputs}
    return frozenset(
        item.name
        for item in signature.inputs
        if item.type not in outputs and set(signature.types_of(item)) <= _WHERE
    )


def _redrawn(call: Call, data: Iterable[str], chance: random.Random, code: Code) -> Call:
    """The call with at least one of its inputs that are data drawn anew."""
    names = sorted(data)
    chosen = {name for name in names if chance.random() < 0.5} or {chance.choice(names)}

    def other(value: Tensor) -> Tensor:
        return drawn(value.type, value.shape, chance, code)

    inputs = {
        name: each_of(value, other) if name in chosen else value
        for name, value in call.inputs.items()
    }
    return replace(call, inputs=inputs)


def _small_code(name: str, chance: random.Random) -> int:
    """The bits of 0, 1, 2 or 3: of two such numbers as many are equal as not."""
    kind = element_type(name).kind
    if kind == "bool":
        return chance.randrange(2)
    if kind in {"int", "uint", "complex"}:
        return chance.randrange(min(_FEW, 1 << min(element_type(name).bits, 2)))
    return encode(name, Fraction(chance.randrange(_FEW)))
