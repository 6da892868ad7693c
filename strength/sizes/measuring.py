"""Each fault of size put before the vectors of an operator that are about sizes.

A fault is asked of an operator where it concerns it (`Kind`). The vectors are tried from the
smallest on, as a fault shows in most that are large enough; the one that noticed it last is tried
first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnx_conformance.core.corpus.vectors import Phase
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
)
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.signatures.model import Parameter, Signature
from onnx_conformance.validator.judging.verdicts import Judgement, Outputs, Rejected

from ..deadlines import deadline
from ..names import name_of
from ..vectors import Loaded, entries_of_sizes, is_noticed, judged, loaded_of, observation_of
from .asking import Answer, answer_of, expected_of
from .faults import CORRECT, FAULTS, INDICES, POSITIONS, Kind, SizeFault
from .sums import Weights

#: Seconds of the processor that oracles may take for one vector with a fault.
DEADLINE = 20.0
# An operator makes few elements of many where a vector's first input has so many times more.
_FEWER = 8
# Vectors of an operator that are looked at to see whether its oracle adds: the smallest.
_ADDERS = 3
_ADDS = next(item for item in CORRECT if item.kind is Kind.SUMS)
_NO_OUTPUTS = Outputs(())


@dataclass(frozen=True)
class Noticed:
    """What became of the faults that concern an operator.

    Attributes:
        operator: its name, such as `Add`.
        vectors: how many vectors of it are about sizes.
        noticed: for each fault that is noticed, the vector that does.
        survived: faults that change what a vector gives, and are noticed by none.
        idle: faults for which no vector is large enough.
        accused: vectors that a right runtime is judged wrong by.
    """

    operator: str
    vectors: int
    noticed: Mapping[str, str] = field(default_factory=dict)
    survived: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    accused: tuple[str, ...] = ()

    @property
    def missed(self) -> tuple[str, ...]:
        """The faults that are not noticed."""
        return (*self.survived, *self.idle)

    @property
    def asked(self) -> tuple[str, ...]:
        """All faults that concern the operator."""
        return (*self.noticed, *self.missed)


def measure(
    folder: Path,
    domain: str,
    operator: str,
    known: Mapping[str, str] | None = None,
    faults: Sequence[SizeFault] = FAULTS,
) -> Noticed:
    """Put the faults that concern an operator before its vectors.

    Args:
        folder: the vectors.
        domain: of the operator.
        operator: its name.
        known: for each fault the vector that noticed it last.
        faults: which ones.
    """
    entries = entries_of_sizes(folder, domain, operator)
    loaded = [loaded_of(entry) for entry in entries]
    bench = _Bench(domain, operator, sorted(loaded, key=_weight))
    noticed: dict[str, str] = {}
    survived: list[str] = []
    idle: list[str] = []
    concerned = {kind: bench.concerns(kind) for kind in Kind}
    for fault in faults:
        if not concerned[fault.kind]:
            continue
        vector, shows = bench.first(fault, (known or {}).get(fault.name, ""))
        if vector:
            noticed[fault.name] = vector
        else:
            (survived if shows else idle).append(fault.name)
    name = name_of(domain, operator)
    pairs = {(noticed[fault.name], fault.way) for fault in faults if fault.name in noticed}
    accused = tuple(bench.accused(pairs))
    return Noticed(name, len(loaded), noticed, tuple(survived), tuple(idle), accused)


class _Bench:
    """The vectors of one operator, the small ones first."""

    def __init__(self, domain: str, operator: str, loaded: Sequence[Loaded]) -> None:
        self._operator = operator
        self._loaded = loaded
        self._signature = installed_signatures().versions(domain, operator)[-1]
        self._longest: dict[str, int] = {}

    def concerns(self, kind: Kind) -> bool:
        """Whether a kind of fault is asked of the operator."""
        if not self._loaded:
            return False
        if kind is Kind.READ:
            return any(map(_makes_fewer, self._loaded))
        if kind is Kind.SUMS:
            return any(self._answer(item, _ADDS)[1].longest > 1 for item in self._loaded[:_ADDERS])
        if kind in (Kind.POSITIONS, Kind.INDICES):
            return self._operator in (POSITIONS if kind is Kind.POSITIONS else INDICES)
        return _CONCERNED[kind](self._signature)

    def first(self, fault: SizeFault, known: str) -> tuple[str, bool]:
        """The first vector that notices a fault, or ''; and whether it shows in any."""
        shows = False
        for item in sorted(self._loaded, key=lambda it: it.vector.id != known):
            if fault.kind is Kind.READ and not _makes_fewer(item):
                continue
            if fault.weights is not None and self._sums_are_too_short(item, fault.weights):
                continue
            judgement, answer = self._answer(item, fault)
            if answer.shows and is_noticed(judgement):
                return item.vector.id, True
            shows = shows or answer.shows
        return "", shows

    def _sums_are_too_short(self, item: Loaded, weights: Weights) -> bool:
        """Whether no sum of a vector is long enough for a fault, as far as one was run."""
        longest = self._longest.get(item.vector.id)
        return longest is not None and all(weights(n) is None for n in range(longest + 1))

    def accused(self, pairs: Collection[tuple[str, str]]) -> Iterator[str]:
        """Which vectors judge a runtime wrong that is right.

        Args:
            pairs: vectors, each with the way in which a right runtime works (`SizeFault.way`).
        """
        for item in self._loaded:
            for fault in CORRECT:
                if (item.vector.id, fault.way) in pairs:
                    judgement, _ = self._answer(item, fault)
                    if is_noticed(judgement):
                        yield f"{item.vector.id} ({fault.name}): {judgement.message}"

    def _answer(self, item: Loaded, fault: SizeFault) -> tuple[Judgement, Answer]:
        """What the judge says of a runtime with a fault."""
        try:
            with deadline(DEADLINE):
                answer = answer_of(item, fault)
        except Exception as error:
            seen = observation_of(error)
            # Whoever is given spoiled inputs may refuse them: that is noticed in a valid vector.
            words = f"{type(error).__name__}: {error}"
            return judged(item, seen or Rejected(Phase.RUN, words)), Answer(_NO_OUTPUTS, shows=True)
        if fault.weights is not None and not answer.shows:
            self._longest[item.vector.id] = answer.longest
        return judged(item, answer.outputs), answer


def _weight(item: Loaded) -> tuple[int, str]:
    """Vectors of few elements come first."""
    return _elements(item, inputs=True) + _elements(item, inputs=False), item.vector.id


def _makes_fewer(item: Loaded) -> bool:
    """Whether few elements are made of the many of the first input."""
    many = sum(_count(one.value) for given in item.data_sets for one in given.inputs[:1])
    return _elements(item, inputs=False) * _FEWER <= many


def _elements(item: Loaded, *, inputs: bool) -> int:
    return sum(
        _count(one.value)
        for given in item.data_sets
        for one in (given.inputs if inputs else expected_of(item, given))
    )


def _count(value: Value) -> int:
    if isinstance(value, Tensor):
        return value.element_count
    if isinstance(value, OptionalValue):
        return 0 if value.value is None else _count(value.value)
    if isinstance(value, SequenceValue):
        return sum(map(_count, value.items))
    return sum(map(_count, value.values)) if isinstance(value, MapValue) else 0


def _has(word: str, parameters: Iterable[Parameter], signature: Signature) -> bool:
    """Whether a value of these parameters may be of a type in which a word stands."""
    return any(
        word in text for item in parameters for text in signature.types.get(item.type, (item.type,))
    )


def _gives_tensors(signature: Signature) -> bool:
    return any(
        "(" not in text
        for item in signature.outputs
        for text in signature.types.get(item.type, (item.type,))
    )


#: Of which operators a kind of fault is asked, by their signatures.
_CONCERNED: Mapping[Kind, Callable[[Signature], bool]] = {
    Kind.WRITTEN: _gives_tensors,
    Kind.STRINGS: lambda it: _has("string", it.outputs, it),
    Kind.STRINGS_READ: lambda it: _has("string", it.inputs, it),
    Kind.SEQUENCES: lambda it: _has("seq(", it.outputs, it),
    Kind.SEQUENCES_READ: lambda it: _has("seq(", it.inputs, it),
    Kind.INPUTS: lambda it: any(item.variadic for item in it.inputs),
    Kind.OUTPUTS: lambda it: any(item.variadic for item in it.outputs),
}
