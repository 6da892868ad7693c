"""The content of an operator version's schema: inputs, outputs, attributes, type variables.

Types are written in the words of the corpus: a tensor is its element type alone (`float32`),
others are `seq(float32)`, `optional(seq(int64))`, `map(int64,string)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onnx_conformance.core.words import Word

Default = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


class Option(Word):
    """How many values a formal input or output has at a node."""

    #: One.
    SINGLE = "single"
    #: One, or none.
    OPTIONAL = "optional"
    #: Any number from its least arity on.
    VARIADIC = "variadic"


@dataclass(frozen=True)
class Parameter:
    """A formal input or output.

    Attributes:
        name: as in the document.
        type: a type variable such as `T`, or one type.
        option: how many values it has.
        homogeneous: for a variadic one, whether all its values have one type.
        min_arity: for a variadic one, the least number of values, which are called `name_0`,
            `name_1` …; 1 for the others.
        elements: of an output whose elements are those of an input in row-major order, the input:
            what a spec says, and no schema.
    """

    name: str
    type: str
    option: Option = Option.SINGLE
    homogeneous: bool = True
    min_arity: int = 1
    elements: str | None = None

    @property
    def optional(self) -> bool:
        """Whether a node may leave it out."""
        return self.option == Option.OPTIONAL

    @property
    def variadic(self) -> bool:
        """Whether a node may have several values for it."""
        return self.option == Option.VARIADIC

    def instance(self, index: int) -> str:
        """The name of one value of a variadic parameter; a `_0` of the schema is not doubled."""
        return f"{self.name.removesuffix('_0')}_{index}"

    def has_instance(self, name: str) -> bool:
        """Whether `name` is the name of this parameter's value, or of one of its values."""
        if not self.variadic:
            return name == self.name
        stem, _, number = name.rpartition("_")
        return number.isdigit() and stem == self.name.removesuffix("_0")


@dataclass(frozen=True)
class Attribute:
    """An attribute.

    Attributes:
        name: its name in the document.
        type: `float`, `int`, `string`, `tensor`, `graph`, `sparse_tensor`, `type_proto`, or the
            plural of one of the first six for a list.
        required: whether a node must have it.
        default: the value that an absent attribute has, if the schema gives one. For a float it is
            the float32 value. If the document gives a default only in prose, this is None.
    """

    name: str
    type: str
    required: bool = False
    default: Default | None = None


@dataclass(frozen=True)
class Signature:
    """One version of one operator.

    Attributes:
        operator: its name.
        domain: empty for the default domain.
        since_version: the opset that introduced this version.
        last_opset: the last opset at which it is in force: the one before the next version of the
            operator, or the newest opset of the domain.
        deprecated: whether this version says that the operator must no longer be used.
        inputs: in the order of the node; so are the outputs.
        outputs: in the order of the node.
        attributes: by name, in the order of the names.
        types: the types that each type variable can be.
        function: whether the schema defines the operator by a body of other operators.
        context_function: whether that body depends on the node and the types of its inputs.
    """

    domain: str
    operator: str
    since_version: int
    last_opset: int
    deprecated: bool
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: Mapping[str, Attribute]
    types: Mapping[str, tuple[str, ...]]
    function: bool
    context_function: bool

    @property
    def min_inputs(self) -> int:
        """The least number of inputs that a node can have, trailing optional ones left out."""
        return fewest(self.inputs)

    @property
    def max_inputs(self) -> int | None:
        """The greatest number of inputs that a node can have; None where there is no limit."""
        return most(self.inputs)

    @property
    def min_outputs(self) -> int:
        """The least number of outputs that a node can have, trailing optional ones left out."""
        return fewest(self.outputs)

    @property
    def max_outputs(self) -> int | None:
        """The greatest number of outputs that a node can have; None where there is no limit."""
        return most(self.outputs)

    def types_of(self, parameter: Parameter) -> tuple[str, ...]:
        """The types that a parameter can have: those of its variable, or its single type."""
        return self.types.get(parameter.type, (parameter.type,))


def fewest(parameters: tuple[Parameter, ...]) -> int:
    """The least number of values: up to the last that is neither optional nor variadic.

    Optional ones before a variadic parameter are counted too: each needs a position.
    """
    least = 0
    for position, parameter in enumerate(parameters):
        if parameter.option == Option.SINGLE:
            least = position + 1
        elif parameter.option == Option.VARIADIC:
            least = position + parameter.min_arity
    return least


def most(parameters: tuple[Parameter, ...]) -> int | None:
    """The greatest number of values; None if the last parameter is variadic."""
    if any(parameter.option == Option.VARIADIC for parameter in parameters):
        return None
    return len(parameters)
