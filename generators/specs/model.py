"""The content of a spec, as data.

A spec is the contract of one operator: its versions, the requirements of its document in our
words, and the cases that exercise them. `reading` makes these from YAML; docs/specs.md
describes the format for authors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from onnx_conformance.core.corpus.vectors import Kind, Phase

from ..signatures.model import Attribute, Parameter
from .second_sources import SecondSource
from .statements import OpenQuestion, Requirement
from .words import Role, Spread

if TYPE_CHECKING:
    from .wide import Wide


@dataclass(frozen=True)
class CorpusFacts:
    """What holds for the whole corpus: specs/corpus.yaml."""

    #: Version of the corpus, as in its manifests.
    version: str
    #: The newest released opset; the newest version of each operator holds up to it.
    newest_opset: int
    #: Pairs of first opset and IR version, ascending: ONNX's release table.
    ir_versions: tuple[tuple[int, int], ...]
    #: For each other domain: its opset -> the opset of the default domain released with it.
    domains: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    #: Whether the specs are of somebody's own operators; `domains` then has all their domains.
    own: bool = False

    def last_opset(self, domain: str) -> int:
        """The newest opset of a domain; that of the default one where nothing is said of it."""
        return max(self.domains.get(domain, ()), default=self.newest_opset)

    def model_opset(self, domain: str, operator_opset: int) -> int:
        """The opset of the default domain in a model that imports `operator_opset` of a domain."""
        if not domain:
            return operator_opset
        return self.domains.get(domain, {}).get(operator_opset, self.newest_opset)

    def ir_version(self, model_opset: int) -> int:
        """The IR version with which ONNX released an opset (docs/Versioning.md, release table)."""
        return max(ir for first, ir in self.ir_versions if first <= model_opset)


@dataclass(frozen=True)
class OperatorVersion:
    """One version of an operator."""

    #: The opset of the operator's domain that introduced it.
    since_version: int
    #: The last opset of the domain before the next version, or the newest opset of all.
    last_opset: int
    #: Type variable -> the types that it may be.
    types: Mapping[str, tuple[str, ...]]
    #: In the order of the node.
    inputs: tuple[Parameter, ...]
    #: In the order of the node.
    outputs: tuple[Parameter, ...]
    #: By name.
    attributes: Mapping[str, Attribute]
    #: Whether this version deprecates the operator.
    deprecated: bool = False
    #: Whether ONNX defines this version by a body of other operators.
    function: bool = False

    @cached_property
    def main_variable(self) -> str | None:
        """The first variable with several element types, if possible one of an input's.

        The first of all if each variable has only one type.
        """
        used = {item.type for item in self.inputs}
        several = [name for name, types in self.types.items() if len(types) > 1]
        fed = (name for name in several if name in used)
        return next(fed, next(iter(several), next(iter(self.types), None)))

    def parameter_of(self, name: str) -> Parameter | None:
        """The input that a value of this name belongs to, also a variadic parameter's name."""
        return _named(self.inputs, name)

    def output_of(self, name: str) -> Parameter | None:
        """The output to which a value with this name belongs."""
        return _named(self.outputs, name)


def _named(parameters: tuple[Parameter, ...], name: str) -> Parameter | None:
    return next((one for one in parameters if one.has_instance(name) or one.name == name), None)


@dataclass(frozen=True)
class Literal:
    """A tensor as a spec writes it."""

    #: The dimensions. Profiles that begin with `lattice` or `crossed` have their own.
    shape: tuple[int, ...]
    #: The elements in row-major order; None derives them from profile and vector id.
    values: tuple[int | float | str | bool, ...] | None = None
    #: The element type if it differs from the parameter's, else None.
    type: str | None = None
    #: The data profile (`situations.data.profiles`); None is `any`.
    profile: str | None = None
    #: For a result, the input whose elements it holds, at the positions in `values`.
    source: str | None = None


@dataclass(frozen=True)
class SequenceLiteral:
    """A sequence of values, in order."""

    #: The values, in order.
    items: tuple[AnyLiteral, ...]


@dataclass(frozen=True)
class OptionalLiteral:
    """An optional value; None if it is absent."""

    #: The value inside; None if it is absent.
    value: AnyLiteral | None


@dataclass(frozen=True)
class MapLiteral:
    """A map: one-dimensional keys, and a value for each."""

    #: The keys, in one dimension.
    keys: Literal
    #: The value of each key, in their order.
    values: Literal


AnyLiteral: TypeAlias = Literal | SequenceLiteral | OptionalLiteral | MapLiteral


@dataclass(frozen=True)
class TypeAttribute:
    """The value of an attribute that is a type, in our words: `seq(float32)`."""

    #: The type, e.g. `seq(float32)`.
    text: str


@dataclass(frozen=True)
class GraphAttribute:
    """The value of an attribute that is a graph, in ONNX's text syntax (docs/Syntax.md)."""

    #: The graph in ONNX's text syntax; `$T` stands for the type of a type variable.
    text: str


AttributeValue: TypeAlias = (
    int
    | float
    | str
    | tuple[int, ...]
    | tuple[float, ...]
    | tuple[str, ...]
    | Literal
    | TypeAttribute
    | GraphAttribute
)


@dataclass(frozen=True)
class Example:
    """Inputs with the outputs that the document requires for them."""

    #: By name; the values of a variadic input are `name_0`, `name_1` ...
    inputs: Mapping[str, AnyLiteral]
    #: By name; None if the oracle computes them.
    outputs: Mapping[str, AnyLiteral] | None


@dataclass(frozen=True)
class GivenAttribute:
    """An attribute as a case writes it."""

    #: Its name in the document.
    name: str
    #: Its value.
    value: AttributeValue
    #: None means the type of the operator's attribute.
    type: str | None = None


@dataclass(frozen=True)
class Fault:
    """How the model of an invalid case differs from a well-formed one."""

    #: Names of the node's inputs, if they are not the operator's.
    arguments: tuple[str, ...] | None = None
    #: Names of the node's outputs, if they are not the operator's.
    results: tuple[str, ...] | None = None
    #: Attributes that the node has a second time.
    repeat: tuple[GivenAttribute, ...] = ()
    #: Element types that the model declares for graph outputs.
    declare_types: Mapping[str, str] = field(default_factory=dict)
    #: Shapes that the model declares for graph outputs.
    declare_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    #: Ranks that the model declares for graph outputs; without an entry, those of the control.
    ranks: Mapping[str, int] = field(default_factory=dict)
    #: The container for the data if it is not fed as a tensor: `sequence` or `optional`.
    wrap: str | None = None

    @property
    def is_structural(self) -> bool:
        """Whether it changes anything except the rank that the model declares."""
        return self != Fault(ranks=self.ranks)


Content = TypeVar("Content")


@dataclass(frozen=True)
class PermittedResult(Generic[Content]):
    """One of the results that a document leaves open: as a spec has it, or with real values."""

    #: Its name in reports.
    taken: str
    #: Why it is permitted.
    reason: str
    #: The outputs; None for a refusal.
    outputs: Content | None
    #: Whether any values of these types and shapes are permitted.
    anything: bool = False


#: As a spec has it: literals by name.
WrittenResult: TypeAlias = "PermittedResult[Mapping[str, AnyLiteral]]"


@dataclass(frozen=True)
class Case:
    """A situation: attributes, inputs, what is expected, and the requirements it exercises."""

    #: Permanent, readable, in lower case.
    id: str
    #: A valid case in which the oracle asks an open question makes latitude vectors.
    kind: Kind
    #: Its line in the spec.
    line: int
    #: What goes wrong in a runtime that fails it.
    purpose: str
    #: Ids of requirements.
    covers: tuple[str, ...]
    #: ONNX's name of the example, if it has one.
    documented: str | None
    #: The node's attributes; absent ones are absent, and not given their default.
    attributes: tuple[GivenAttribute, ...]
    #: One for each data set; an invalid or latitude case has one.
    examples: tuple[Example, ...]
    #: The first operator version for the case, beyond what its requirements say; None for any.
    since: int | None = None
    #: The last operator version for the case; None for any.
    until: int | None = None
    #: Element types of the main type variable; None for all that suit the case.
    types: tuple[str, ...] | None = None
    #: Forms that present it; None for every form that applies.
    forms: tuple[str, ...] | None = None
    #: What the standard corpus has in full: `types` (`types:T2` for another variable), `forms`;
    #: `pairs` has each type of the newest version in one more form.
    sweep: tuple[str, ...] = ()
    #: At the newest version, further element types by the form in which they present it.
    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The operator versions at which the standard corpus has it.
    spread: Spread = Spread.CLASSES
    #: Types of type variables, if they are not the default ones.
    bind: Mapping[str, str] = field(default_factory=dict)
    #: Names of the node's outputs; None for all outputs.
    requested: tuple[str, ...] | None = None
    #: For an invalid case, the id of the nearest valid case.
    control: str | None = None
    #: For an invalid case, the first phase at which its fault can be known.
    reject: Phase | None = None
    #: For an invalid case, how its model differs from a well-formed one.
    fault: Fault = Fault()
    #: For a latitude case, the results that the document permits.
    permitted: tuple[WrittenResult, ...] = ()
    #: The name of the family that made it; None where it is written out.
    family: str | None = None


@dataclass(frozen=True)
class Spec:
    """The contract of one operator."""

    #: Path of its file.
    path: str
    #: The operator's name, as in the document.
    operator: str
    #: Its domain; empty for the default one.
    domain: str
    #: The element type of vectors that do not test types.
    default_type: str
    #: Every version that is not deprecated, by since_version, ascending.
    versions: Mapping[int, OperatorVersion]
    #: The requirements that the spec states and those that its families add, by id.
    requirements: Mapping[str, Requirement]
    #: By id: those that are written out, then those of families, then the invalid ones.
    cases: Mapping[str, Case]
    #: Ids of removed cases, which are never used again.
    withdrawn: tuple[str, ...] = ()
    #: What the operator does with the elements of each input, by the input's name.
    roles: Mapping[str, Role] = field(default_factory=dict)
    #: Attribute that sets an output's type -> the type variable that it sets.
    type_attributes: Mapping[str, str] = field(default_factory=dict)
    #: Type variable -> the variable whose type it has if no attribute sets it.
    type_follows: Mapping[str, str] = field(default_factory=dict)
    #: The points that the document leaves open, by id.
    questions: Mapping[str, OpenQuestion] = field(default_factory=dict)
    #: What versions that no gated runtime has were compared with.
    second_sources: tuple[SecondSource, ...] = ()
    #: Why vectors stand whose limits say next to nothing.
    wide: tuple[Wide, ...] = ()
    #: The package that holds its oracle; empty for the oracles here.
    package: str = ""

    @cached_property
    def holding(self) -> Mapping[int, frozenset[str]]:
        """Ids of the requirements that hold at each version."""
        return {
            number: frozenset(
                item.id for item in self.requirements.values() if item.holds_at(number)
            )
            for number in self.versions
        }

    @property
    def slug(self) -> str:
        """The operator's name in ids: lower case, after its domain if that is not the default."""
        name = f"{self.domain}.{self.operator}" if self.domain else self.operator
        return name.lower()
