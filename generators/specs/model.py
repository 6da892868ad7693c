"""What a spec says, as data.

A spec is the contract of one operator: its versions, the requirements of its document in our
words, and the cases that exercise them. `reading` makes these from YAML; docs/specs.md
describes the format for authors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..oracle import AttributeValue


@dataclass(frozen=True)
class CorpusFacts:
    """What holds for the whole corpus: specs/corpus.yaml.

    Attributes:
        version: version of the corpus, in the manifest.
        newest_opset: the newest released opset; registrations of the newest versions end there.
        ir_versions: (first opset, IR version) pairs, ascending: the release table of ONNX.
    """

    version: str
    newest_opset: int
    ir_versions: tuple[tuple[int, int], ...]

    def ir_version(self, opset: int) -> int:
        """IR version that ONNX was released with at `opset` (docs/Versioning.md, release table)."""
        return max(ir for first, ir in self.ir_versions if first <= opset)


@dataclass(frozen=True)
class Parameter:
    """An input or output of an operator.

    Attributes:
        type: a type variable such as `T`, or an element type.
        optional: of an input, whether a case may leave it out.
        elements: for an output, the input whose elements it holds in row-major order, so that
            a case needs to give its dimensions only; None where a case gives the values.
    """

    name: str
    type: str
    elements: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class Attribute:
    """An attribute: `type` is int, ints, float, floats, string or strings."""

    name: str
    type: str
    default: AttributeValue | None = None


@dataclass(frozen=True)
class OperatorVersion:
    """One since_version of an operator; `last_opset` is the last one before the next version."""

    since_version: int
    last_opset: int
    types: Mapping[str, tuple[str, ...]]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: Mapping[str, Attribute]


def main_variable(version: OperatorVersion) -> str | None:
    """The type variable that is swept: the first that stands for several element types.

    The first of all where each stands for one; None for an operator without type variables.
    """
    several = (name for name, types in version.types.items() if len(types) > 1)
    return next(several, next(iter(version.types), None))


@dataclass(frozen=True)
class Requirement:
    """One statement of the operator's document, in our words.

    Attributes:
        since, until: the operator versions for which it holds, inclusive; None is open.
        document, part: where it stands, e.g. `Shape-25` and `Summary`.
        uncovered: why no case covers it, or None.
    """

    id: str
    text: str
    since: int
    until: int | None
    document: str
    part: str
    uncovered: str | None = None

    def holds_at(self, since_version: int) -> bool:
        """Whether it is a requirement of this operator version."""
        return self.since <= since_version and (self.until is None or since_version <= self.until)


@dataclass(frozen=True)
class Literal:
    """A value as a spec writes it.

    Attributes:
        shape: the dimensions.
        values: the elements in row-major order, or None where they derive from the vector's id.
        type: the element type where it departs from the parameter's, else None.
    """

    shape: tuple[int, ...]
    values: tuple[int | float | str | bool, ...] | None = None
    type: str | None = None


@dataclass(frozen=True)
class Example:
    """Inputs with the outputs that the document requires for them."""

    inputs: Mapping[str, Literal]
    outputs: Mapping[str, Literal]


@dataclass(frozen=True)
class GivenAttribute:
    """An attribute as a case writes it; `type` None takes the type of the operator's attribute."""

    name: str
    value: AttributeValue
    type: str | None = None


@dataclass(frozen=True)
class Fault:
    """How the model of an invalid case departs from a well-formed one.

    Attributes:
        arguments: names of the node's inputs, where they are not the operator's.
        results: names of the node's outputs, where they are not the operator's.
        repeat: attributes that the node has a second time.
        declare_types: element types that the model declares for graph outputs.
        declare_shapes: shapes that the model declares for graph outputs.
        ranks: ranks that the model declares for graph outputs: those the control has otherwise.
        wrap: `sequence` or `optional` where the data is no tensor, else None.
    """

    arguments: tuple[str, ...] | None = None
    results: tuple[str, ...] | None = None
    repeat: tuple[GivenAttribute, ...] = ()
    declare_types: Mapping[str, str] = field(default_factory=dict)
    declare_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    wrap: str | None = None

    @property
    def is_structural(self) -> bool:
        """Whether it changes anything but the rank that the model declares."""
        return self != Fault(ranks=self.ranks)


@dataclass(frozen=True)
class PermittedResult:
    """One of the results that the document leaves open: outputs, or None for a rejection."""

    taken: str
    reason: str
    outputs: Mapping[str, Literal] | None


@dataclass(frozen=True)
class Case:
    """A situation: attributes, inputs, what is expected, and the requirements it exercises.

    Attributes:
        kind: `valid`, `invalid` or `latitude`.
        examples: one for each data set; an invalid or latitude case has one, without outputs.
        since, until: operator versions it is limited to beyond those of its requirements.
        types: element types it is limited to, or None.
        forms: forms it is limited to, or None for every form that applies.
        sweep: of `types` and `forms`, those that the committed corpus has in full.
        ends_only: whether the committed corpus has it only at its oldest and newest version.
        control: of an invalid case, the id of the nearest valid case.
        reject: of an invalid case, the first phase at which its fault can be known.
    """

    id: str
    kind: str
    line: int
    purpose: str
    covers: tuple[str, ...]
    documented: str | None
    attributes: tuple[GivenAttribute, ...]
    examples: tuple[Example, ...]
    since: int | None = None
    until: int | None = None
    types: tuple[str, ...] | None = None
    forms: tuple[str, ...] | None = None
    sweep: tuple[str, ...] = ()
    ends_only: bool = False
    control: str | None = None
    reject: str | None = None
    fault: Fault = Fault()
    permitted: tuple[PermittedResult, ...] = ()


@dataclass(frozen=True)
class Ruling:
    """A recorded disagreement of a witness with the spec, and who is right.

    Attributes:
        witness: `reference`, `inference` or `checker`.
        vectors: globs over vector ids for which the witness disagrees.
        says: words of what the witness says there: another disagreement is not covered.
        ruling: why the spec stands.
        upstream: where the witness's authors know of it, or None.
    """

    id: str
    witness: str
    vectors: tuple[str, ...]
    says: str
    ruling: str
    upstream: str | None
    line: int


@dataclass(frozen=True)
class Spec:
    """The contract of one operator."""

    path: str
    operator: str
    domain: str
    default_type: str
    versions: Mapping[int, OperatorVersion]
    requirements: Mapping[str, Requirement]
    cases: Mapping[str, Case]
    rulings: tuple[Ruling, ...]
    withdrawn: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The operator's name in ids: lower case."""
        return self.operator.lower()
