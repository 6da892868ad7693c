"""A spec of whole models as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.corpus.vectors import Phase

    from ..specs.model import AnyLiteral, CorpusFacts, Literal, Requirement


@dataclass(frozen=True)
class Stored:
    """A tensor that is stored as an initializer in a way that the text syntax does not choose."""

    #: The initializer.
    name: str
    #: Its elements.
    literal: Literal
    #: The element type; None for that of the variant.
    type: str | None
    #: `raw`, `typed` or `external`.
    kept: str
    #: Of external data: the file, relative to the model.
    location: str = "weights.bin"
    #: Of external data: bytes before the tensor's in the file, and whether that is written down.
    offset: int | None = None
    #: Of external data: whether the number of bytes is written down.
    length: bool = True


@dataclass(frozen=True)
class Edits:
    """What is changed in a model after its text was read, in this order."""

    #: Fields that are emptied, and elements of lists that are removed, by path.
    clear: tuple[str, ...] = ()
    #: Fields by path, with what they become.
    put: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    #: By path of a message, what is merged into it, in Protocol Buffers' text format.
    merge: Mapping[str, str] = field(default_factory=dict)
    #: Initializers that are added, or take the place of one of the same name.
    tensors: tuple[Stored, ...] = ()


@dataclass(frozen=True)
class Run:
    """One data set: inputs by name, and the outputs that the document asks for."""

    inputs: Mapping[str, AnyLiteral]
    outputs: Mapping[str, AnyLiteral]


@dataclass(frozen=True)
class Opened:
    """A result that a document leaves open: outputs of the first data set, or None: a refusal."""

    taken: str
    reason: str
    outputs: Mapping[str, AnyLiteral] | None


@dataclass(frozen=True)
class ModelCase:
    """A model with what it must do."""

    #: In ids; permanent.
    id: str
    #: The line of the spec.
    line: int
    #: Ids of the requirements that it exercises.
    covers: tuple[str, ...]
    #: One line for people: what goes wrong in a runtime that fails it.
    purpose: str
    #: The model in ONNX's text syntax; `$NAME` stands for what `each` goes through.
    text: str
    edits: Edits
    #: The data sets.
    runs: tuple[Run, ...]
    #: Of an invalid model: the first phase at which its fault can be known.
    reject: Phase | None = None
    #: Of an invalid model: the valid case beside it.
    control: str | None = None
    #: What the document leaves open; empty where it does not.
    open: tuple[Opened, ...] = ()
    #: What the text's `$NAME` goes through, by name; at most one.
    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: By name of a graph input, the ways (`computed.WAYS`) in which nodes compute it; at most one.
    computed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What is asked of a runtime."""
        if self.reject is not None:
            return Kind.INVALID
        return Kind.LATITUDE if self.open else Kind.VALID


@dataclass(frozen=True)
class ModelSpec:
    """What one document asks of whole models."""

    #: The file.
    path: str
    #: What ids and reports have in the place of an operator, e.g. `IR`.
    subject: str
    facts: CorpusFacts
    requirements: Mapping[str, Requirement]
    cases: Mapping[str, ModelCase]
    #: The domain of an operator whose cases are whole models; the subject is its name then.
    domain: str = ""
    #: The version of that operator.
    version: int | None = None

    @property
    def name(self) -> str:
        """The subject, with its domain where it is an operator of one."""
        return f"{self.domain}.{self.subject}" if self.domain else self.subject

    @property
    def slug(self) -> str:
        """How ids begin."""
        return self.name.lower()
