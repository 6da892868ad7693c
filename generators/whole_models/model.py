"""A spec of whole models as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onnx_conformance.core.corpus.vectors import Kind, Phase

from ..specs.model import AnyLiteral, CorpusFacts, Literal, WrittenResult
from ..specs.second_sources import SecondSource
from ..specs.statements import Requirement


@dataclass(frozen=True)
class Stored:
    """A tensor stored as an initializer in a way that the text syntax does not offer."""

    #: The initializer.
    name: str
    #: Its elements.
    literal: Literal
    #: The element type; None means that of the variant.
    type: str | None
    #: `raw`, `typed` or `external`.
    kept: str
    #: Of external data: the file, relative to the model.
    location: str = "weights.bin"
    #: For external data: the tensor's offset in the file, or None if the model does not give it.
    offset: int | None = None
    #: For external data: whether the model gives the number of bytes.
    length: bool = True


@dataclass(frozen=True)
class Edits:
    """Changes to a model after its text was read, in this order."""

    #: Paths of fields to clear, and of list elements to remove.
    clear: tuple[str, ...] = ()
    #: Path of a field -> its new value.
    put: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    #: Path of a message -> what is merged into it, in Protocol Buffers' text format.
    merge: Mapping[str, str] = field(default_factory=dict)
    #: Initializers to add; each replaces one with the same name.
    tensors: tuple[Stored, ...] = ()


@dataclass(frozen=True)
class Run:
    """One data set: inputs by name, and the outputs that the document requires."""

    #: By name.
    inputs: Mapping[str, AnyLiteral]
    #: By name.
    outputs: Mapping[str, AnyLiteral]


@dataclass(frozen=True)
class ModelCase:
    """A model with its required behaviour."""

    #: Its name in ids; permanent.
    id: str
    #: The line of the spec.
    line: int
    #: Ids of the requirements that it exercises.
    covers: tuple[str, ...]
    #: One line for people: what goes wrong in a runtime that fails it.
    purpose: str
    #: The model in ONNX's text syntax; `$NAME` is replaced by each value of `each`.
    text: str
    #: Changes to the model after its text was read.
    edits: Edits
    #: The data sets.
    runs: tuple[Run, ...]
    #: For an invalid model: the first phase at which its fault can be known.
    reject: Phase | None = None
    #: For an invalid model: the id of the nearest valid case.
    control: str | None = None
    #: The results that the document permits; empty if it requires one.
    open: tuple[WrittenResult, ...] = ()
    #: Values for `$NAME` in the text, by name; at most one name.
    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Graph input -> the ways (`shape_nodes.WAYS`) in which nodes compute it; at most one input.
    computed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """The kind of its vectors."""
        if self.reject is not None:
            return Kind.INVALID
        return Kind.LATITUDE if self.open else Kind.VALID


@dataclass(frozen=True)
class ModelSpec:
    """A spec of whole models for one document."""

    #: The file.
    path: str
    #: Replaces the operator in ids and reports, e.g. `IR`.
    subject: str
    #: Facts about the whole corpus.
    facts: CorpusFacts
    #: The statements of the document, by id.
    requirements: Mapping[str, Requirement]
    #: By id.
    cases: Mapping[str, ModelCase]
    #: The domain of an operator whose cases are whole models; the subject is then its name.
    domain: str = ""
    #: The version of that operator.
    version: int | None = None
    #: What it was compared with, where no gated runtime has the operator.
    second_sources: tuple[SecondSource, ...] = ()

    @property
    def name(self) -> str:
        """The subject, with its domain if it is an operator with one."""
        return f"{self.domain}.{self.subject}" if self.domain else self.subject

    @property
    def slug(self) -> str:
        """The beginning of its ids."""
        return self.name.lower()
