"""What a spec says, as data.

A spec is the contract of one operator: its versions, the requirements of its document in our
words, and the cases that exercise them. `reading` makes these from YAML; docs/specs.md
describes the format for authors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class CorpusFacts:
    """What holds for the whole corpus: specs/corpus.yaml.

    Attributes:
        version: version of the corpus, in the manifest.
        newest_opset: the newest released opset; registrations of the newest versions end there.
        ir_versions: (first opset, IR version) pairs, ascending: the release table of ONNX.
        domains: for each other domain, the opset of the default domain that was released with
            each of its opsets.
    """

    version: str
    newest_opset: int
    ir_versions: tuple[tuple[int, int], ...]
    domains: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def default_opset(self, domain: str, opset: int) -> int:
        """The opset of the default domain in a model that imports this one of another domain."""
        return self.domains.get(domain, {}).get(opset, self.newest_opset)

    def ir_version(self, opset: int) -> int:
        """IR version that ONNX was released with at `opset` (docs/Versioning.md, release table)."""
        return max(ir for first, ir in self.ir_versions if first <= opset)


@dataclass(frozen=True)
class Parameter:
    """An input or output of an operator.

    Attributes:
        type: a type variable such as `T`, or a type.
        elements: for an output, the input whose elements it holds in row-major order, so that
            a case needs to give its dimensions only; None where a case gives the values.
        optional: whether a node may leave it out.
        variadic: whether a node may have it several times; the values are then called
            `name_0`, `name_1` ... (see `instance`).
        min_arity: of a variadic one, how many there are at least.
    """

    name: str
    type: str
    elements: str | None = None
    optional: bool = False
    variadic: bool = False
    min_arity: int = 1

    def instance(self, index: int) -> str:
        """The name of one value of a variadic parameter; the schema's own `_0` is not doubled."""
        return f"{self.name.removesuffix('_0')}_{index}"

    def has_instance(self, name: str) -> bool:
        """Whether `name` is that of this parameter's value, or of one of its values."""
        if not self.variadic:
            return name == self.name
        stem, _, number = name.rpartition("_")
        return number.isdigit() and stem == self.name.removesuffix("_0")


@dataclass(frozen=True)
class Attribute:
    """An attribute.

    Attributes:
        type: as AttributeProto calls it in lower case: int, ints, float, floats, string, strings,
            tensor, graph, type_proto, sparse_tensor ...
        default: what its absence means, where the document gives a value.
        required: whether a node must have it.
    """

    name: str
    type: str
    default: AttributeValue | None = None
    required: bool = False


@dataclass(frozen=True)
class OperatorVersion:
    """One since_version of an operator; `last_opset` is the last one before the next version.

    Attributes:
        types: of each type variable, the types that it may be.
        deprecated: whether this version takes the operator out of use.
        function: whether ONNX defines this version by a body of other operators.
    """

    since_version: int
    last_opset: int
    types: Mapping[str, tuple[str, ...]]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: Mapping[str, Attribute]
    deprecated: bool = False
    function: bool = False

    def parameter_of(self, name: str) -> Parameter | None:
        """The input that a value of this name belongs to; the variadic parameter itself too."""
        for item in self.inputs:
            if item.has_instance(name) or item.name == name:
                return item
        return None

    def output_of(self, name: str) -> Parameter | None:
        """The output that a value of this name belongs to."""
        for item in self.outputs:
            if item.has_instance(name) or item.name == name:
                return item
        return None


def main_variable(version: OperatorVersion) -> str | None:
    """The type variable that is swept: the first that stands for several element types.

    Of an input's, where there is one. The first of all where each stands for one type; None for
    an operator without type variables.
    """
    used = {item.type for item in version.inputs}
    several = [name for name, types in version.types.items() if len(types) > 1]
    fed = (name for name in several if name in used)
    return next(fed, next(iter(several), next(iter(version.types), None)))


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
    """A tensor as a spec writes it.

    Attributes:
        shape: the dimensions. Profiles that begin with `lattice` or `crossed` have their own.
        values: the elements in row-major order, or None where they follow from the profile and
            the vector's id.
        type: the element type where it departs from the parameter's, else None.
        profile: the data profile (`situations.data.profiles`); None is `any`.
        source: of a result, the input whose elements it holds at the positions in `values`.
    """

    shape: tuple[int, ...]
    values: tuple[int | float | str | bool, ...] | None = None
    type: str | None = None
    profile: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class SequenceLiteral:
    """A sequence of values."""

    items: tuple[AnyLiteral, ...]


@dataclass(frozen=True)
class OptionalLiteral:
    """An optional value; None is absent."""

    value: AnyLiteral | None


@dataclass(frozen=True)
class MapLiteral:
    """A map: one-dimensional keys, and as many values."""

    keys: Literal
    values: Literal


AnyLiteral: TypeAlias = Literal | SequenceLiteral | OptionalLiteral | MapLiteral


@dataclass(frozen=True)
class TypeAttribute:
    """The value of an attribute that is a type, in the words of the corpus: `seq(float32)`."""

    text: str


@dataclass(frozen=True)
class GraphAttribute:
    """The value of an attribute that is a graph, in ONNX's text syntax (docs/Syntax.md)."""

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
    """Inputs with the outputs that the document requires for them.

    Attributes:
        inputs: by name; those of a variadic input are `name_0`, `name_1` ...
        outputs: by name, or None where the oracle computes them.
    """

    inputs: Mapping[str, AnyLiteral]
    outputs: Mapping[str, AnyLiteral] | None


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
    outputs: Mapping[str, AnyLiteral] | None


@dataclass(frozen=True)
class OpenQuestion:
    """Something that the document leaves open: the oracle asks, and each reading is permitted.

    Attributes:
        text: what is open, in our words.
        readings: why each is possible, by the name that the oracle uses; `rejected` permits a
            refusal, `anything` any value of the type and shape that the other readings have.
    """

    id: str
    text: str
    document: str
    part: str
    readings: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class Case:
    """A situation: attributes, inputs, what is expected, and the requirements it exercises.

    Attributes:
        id: permanent, human, lower case.
        kind: `valid`, `invalid` or `latitude`. A valid case in which the oracle asks an open
            question makes latitude vectors.
        line: where it stands in the spec.
        purpose: what a runtime gets wrong that fails it.
        covers: ids of requirements.
        documented: ONNX's name for the example, where it has one.
        attributes: those that the node has; an absent one is absent, not defaulted.
        examples: one for each data set; an invalid or latitude case has one.
        since, until: operator versions it is limited to beyond those of its requirements.
        types: element types of the main variable it is limited to, or None.
        forms: forms it is limited to, or None for every form that applies.
        sweep: of `types` (or `types:T2` for another variable) and `forms`, those that the standard
            corpus has in full.
        spread: at which operator versions the standard corpus has it: `all` of them and the last
            opset of each, `ends` (the oldest and the newest) or `classes` (the oldest and newest
            of each class of versions that differ in their type lists only).
        bind: types of type variables, where they are not the default ones.
        requested: names of the outputs that the node has; None is every output.
        control: of an invalid case, the id of the nearest valid case.
        reject: of an invalid case, the first phase at which its fault can be known.
        fault: of an invalid case, how its model departs from a well-formed one.
        permitted: of a latitude case, the results that the document leaves open.
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
    spread: str = "all"
    bind: Mapping[str, str] = field(default_factory=dict)
    requested: tuple[str, ...] | None = None
    control: str | None = None
    reject: str | None = None
    fault: Fault = Fault()
    permitted: tuple[PermittedResult, ...] = ()


@dataclass(frozen=True)
class Spec:
    """The contract of one operator.

    Attributes:
        path: of its file.
        operator, domain: as in the document; the domain is empty for the default one.
        default_type: the element type of vectors that are not about types.
        versions: every version that is not deprecated, by since_version, ascending.
        roles: the role of each input: data, weight, shape, index, axes, scalar, condition ...
        requirements: those that the spec states and those that its families bring, by id.
        cases: by id, those of families behind those that are written out.
        type_attributes: for attributes that set an output's type, the type variable that they set.
        questions: what the document leaves open, by id.
        withdrawn: ids of cases that are gone.
    """

    path: str
    operator: str
    domain: str
    default_type: str
    versions: Mapping[int, OperatorVersion]
    requirements: Mapping[str, Requirement]
    cases: Mapping[str, Case]
    withdrawn: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    type_attributes: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, OpenQuestion] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """The operator's name in ids: lower case, behind its domain if that is not the default."""
        name = f"{self.domain}.{self.operator}" if self.domain else self.operator
        return name.lower()
