"""Calls, and the functions that answer them.

    @oracle("Add", versions=(7, None))
    def add(call: Call) -> Result:
        return (combine(call.types["T"], ..., call.grid("A"), call.grid("B")),)

registers a function for the operator versions from 7 on. A second one, `versions=(1, 6)`, has the
older semantics. Its module is listed in index.py and imported when it is first needed.

Results of such a function:
- it returns a Result: one entry for each output of the signature, None for one that is absent; the
  values of a variadic output are separate entries;
- it raises InvalidCallError if the document makes the call invalid;
- it calls `call.choose(question, *readings)` if the document leaves the result open: the caller
  evaluates once for each reading (`readings_of`), and each is permitted.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import brief
from onnx_conformance.core.values.tensors import Tensor, Value

from .errors import InvalidCallError, OpenError

if TYPE_CHECKING:
    from .arith.grid import Grid
    from .subgraph import Program, Subgraph

# What a spec can give as an attribute; a call may have any kind.
AttributeValue: TypeAlias = (
    int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
)
CallAttribute: TypeAlias = (
    "AttributeValue | bytes | tuple[str | bytes, ...] | Tensor | tuple[Tensor, ...]"
    " | Subgraph | tuple[Subgraph, ...] | Program"
)
# One entry for each output of the signature, None for one that is absent.
Result: TypeAlias = "tuple[Grid | Value | None, ...]"
Oracle: TypeAlias = "Callable[[Call], Result]"
ANY_VERSION = (1, None)


@dataclass(frozen=True)
class Call:
    """One application of an operator.

    Attributes:
        since_version: the operator version.
        attributes: by name, with the schema's defaults filled in by the caller. A FLOAT is a Python
            float that holds a float32 value; a graph can be run (`subgraph.Subgraph`); a sparse
            tensor is the dense one; a type is in words. Absent ones without a default are left out.
        inputs: by parameter name, a tuple for a variadic one; an absent optional is left out.
        operator, domain: the operator; '' is ONNX's own domain.
        outputs: the names of the requested outputs, a variadic one once for each of its values;
            empty if all are requested.
        types: the element type that each type variable is bound to.
        readings: the reading to use for each question that the document leaves open.
        package: the package that holds the oracle; empty for the ones here.
    """

    since_version: int
    attributes: Mapping[str, CallAttribute]
    inputs: Mapping[str, Value | tuple[Value, ...]]
    operator: str = ""
    domain: str = ""
    outputs: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    package: str = ""

    # --- inputs ---

    def has(self, name: str) -> bool:
        """Whether the input is given."""
        return name in self.inputs

    def tensor(self, name: str) -> Tensor:
        """An input that is a tensor; InvalidCallError if it is absent or not a tensor."""
        value = self.inputs.get(name)
        if value is None:
            raise InvalidCallError(f"input '{name}' is absent")
        if not isinstance(value, Tensor):
            raise InvalidCallError(f"input '{name}' is no tensor")
        return value

    def grid(self, name: str, rank: int | None = None) -> Grid:
        """An input tensor as exact numbers, of a rank where one is given; else InvalidCallError."""
        from .arith.grid import grid_of

        tensor = self.tensor(name)
        if rank is not None and len(tensor.shape) != rank:
            raise InvalidCallError(f"{name} has rank {len(tensor.shape)}, not {rank}")
        return grid_of(tensor)

    def optional_grid(self, name: str) -> Grid | None:
        """An optional input as exact numbers; None if it is absent."""
        return self.grid(name) if name in self.inputs else None

    def grids(self, name: str) -> tuple[Grid, ...]:
        """A variadic input: the tensors that are given."""
        from .arith.grid import grid_of

        value = self.inputs.get(name, ())
        if not isinstance(value, tuple):
            raise TypeError(f"input '{name}' is not variadic")
        tensors = [item for item in value if isinstance(item, Tensor)]
        if len(tensors) != len(value):
            raise InvalidCallError(f"an input of '{name}' is no tensor")
        return tuple(grid_of(item) for item in tensors)

    def integers(self, name: str, rank: int | None = None) -> tuple[int, ...]:
        """The elements of an integer input of any shape, or of a rank where one is given."""
        grid = self.grid(name, rank)
        if not all(isinstance(item, int) for item in grid.items):
            raise InvalidCallError(f"input '{name}' has element type {grid.type}, no integers")
        return tuple(grid.items)

    def integer(self, name: str) -> int:
        """The only element of an integer input: shape [] or [1]; else InvalidCallError."""
        values = self.integers(name)
        if len(values) != 1:
            raise InvalidCallError(f"input '{name}' has {len(values)} elements, not one")
        return values[0]

    # --- attributes ---

    def attribute(self, name: str) -> Any:  # noqa: ANN401  one of nine kinds; see the typed ones
        """An attribute of any kind; InvalidCallError if it is absent and has no default."""
        try:
            return self.attributes[name]
        except KeyError:
            raise InvalidCallError(f"attribute '{name}' is absent") from None

    def int_attribute(self, name: str, default: int | None = None) -> int:
        """An attribute of type INT. `default` is for a default that only the prose gives."""
        return int(self._attribute(name, int, default))

    def float_attribute(self, name: str, default: float | None = None) -> float:
        """An attribute of type FLOAT; `numbers.from_float` makes an exact number of it."""
        return float(self._attribute(name, (float, int), default))

    def string_attribute(self, name: str, default: str | None = None) -> str:
        """An attribute of type STRING as text."""
        value = self._attribute(name, (str, bytes), default)
        return value.decode() if isinstance(value, bytes) else str(value)

    def ints_attribute(self, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """An attribute of type INTS."""
        return tuple(int(item) for item in self._attribute(name, tuple, default))

    def floats_attribute(
        self, name: str, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """An attribute of type FLOATS."""
        return tuple(float(item) for item in self._attribute(name, tuple, default))

    def strings_attribute(
        self, name: str, default: tuple[bytes, ...] | None = None
    ) -> tuple[bytes, ...]:
        """An attribute of type STRINGS, each as bytes."""
        return tuple(
            item.encode() if isinstance(item, str) else bytes(item)
            for item in self._attribute(name, tuple, default)
        )

    def _attribute(
        self,
        name: str,
        kind: type | tuple[type, ...],
        default: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401  narrowed by the callers
        value = self.attributes.get(name, default)
        if value is None:
            raise InvalidCallError(f"attribute '{name}' is absent")
        if not isinstance(value, kind):
            raise InvalidCallError(f"attribute '{name}' has the wrong type: {value!r}")
        return value

    # --- requested outputs and readings ----------------------------------------------------------

    def wants(self, output: str) -> bool:
        """Whether an output is requested; all are if the caller names none."""
        return not self.outputs or output in self.outputs

    def choose(self, question: str, *readings: str) -> str:
        """The reading to use if the document leaves the result open.

        OpenError if the call does not say: the caller then evaluates once for each reading.
        """
        if len(readings) < 2:
            raise ValueError(f"{question}: a choice needs two readings or more")
        chosen = self.readings.get(question)
        if chosen is None:
            raise OpenError(question, readings)
        if chosen not in readings:
            raise ValueError(f"{question}: '{chosen}' is none of {', '.join(readings)}")
        return chosen


def refuse_if_chosen(call: Call, question: str, otherwise: str) -> None:
    """Leave open whether the call is valid at all: readings `otherwise` and `rejected`.

    InvalidCallError if the reading is `rejected`.
    """
    if call.choose(question, otherwise, "rejected") == "rejected":
        raise InvalidCallError(f"{question}: read as invalid")


# --- registering -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Registration:
    """A function and the versions that it is registered for.

    Attributes:
        operator, domain: the operator.
        first, last: the operator versions, both included; None means no limit.
        function: the oracle.
    """

    operator: str
    domain: str
    first: int
    last: int | None
    function: Oracle

    def answers(self, since_version: int) -> bool:
        """Whether it is registered for this operator version."""
        return self.first <= since_version and (self.last is None or since_version <= self.last)


_ATTRIBUTE = "oracle_registrations"


def oracle(
    operator: str, domain: str = "", versions: tuple[int, int | None] = ANY_VERSION
) -> Callable[[Oracle], Oracle]:
    """Register a function in a module for versions of an operator.

    Several decorators may be stacked on one function, for operators that differ little.
    """

    def register(function: Oracle) -> Oracle:
        entry = Registration(operator, domain, *versions, function)
        # Stored on the function: a module's registrations then belong to its code, and importing a
        # module changes no table.
        known: tuple[Registration, ...] = getattr(function, _ATTRIBUTE, ())
        setattr(function, _ATTRIBUTE, (*known, entry))
        return function

    return register


def registrations_in(module: str) -> tuple[Registration, ...]:
    """The registrations of a module of `operators/`, given its dotted name there; imports it."""
    return registered(importlib.import_module(f"{__package__}.operators.{module}"))


def registered(loaded: ModuleType) -> tuple[Registration, ...]:
    """The registrations of functions that a module defines, in the order of their names there."""
    found: list[Registration] = []
    for member in vars(loaded).values():
        for entry in getattr(member, _ATTRIBUTE, ()):
            if entry.function.__module__ == loaded.__name__ and entry not in found:
                found.append(entry)
    return tuple(found)


def has_oracle(operator: str, domain: str = "", since_version: int | None = None) -> bool:
    """Whether an operator, or that version of it, has an oracle."""
    try:
        entries = registrations_of(operator, domain)
    except BadInputError:
        return False
    return since_version is None or any(entry.answers(since_version) for entry in entries)


def compute(call: Call) -> Result:
    """The result that the operator's document requires for a call: one entry for each output.

    Raises InvalidCallError if the document makes the call invalid, OpenError if it leaves the
    result open and `call.readings` does not say how to read it, and BadInputError for an operator
    or a version without an oracle.
    """
    for entry in registrations_of(call.operator, call.domain, call.package):
        if entry.answers(call.since_version):
            return _own_result(entry, call) if call.package else entry.function(call)
    raise BadInputError(f"{_name(call.operator, call.domain)}-{call.since_version} has no oracle")


def _own_result(entry: Registration, call: Call) -> Result:
    """What somebody else's function returns; BadInputError if it fails or returns no Result."""
    from .own import told_of

    function = entry.function
    name = f"{function.__module__}.{function.__qualname__}"
    with told_of(f"the oracle {name} failed"):
        result: object = function(call)
    if not isinstance(result, tuple) or not all(map(_is_output, result)):
        raise BadInputError(
            f"the oracle {name} returned {brief(result)}: it returns a tuple with an entry for each"
            " output, a Grid, another value, or None where it is absent"
        )
    return result


def _is_output(item: object) -> bool:
    from .arith.grid import Grid

    return item is None or isinstance(item, (Grid, *get_args(Value)))


@dataclass(frozen=True)
class Answer:
    """The result that the document requires for a call under one choice of readings.

    Attributes:
        readings: the chosen reading of each question; empty if nothing is open.
        result: the outputs, or None if this reading makes the call invalid.
        invalid: why it is invalid, or ''.
    """

    readings: Mapping[str, str]
    result: Result | None
    invalid: str = ""


def answers(call: Call) -> Iterator[Answer]:
    """One answer for each combination of readings; the preferred one is first."""
    try:
        yield Answer(call.readings, compute(call))
    except InvalidCallError as error:
        yield Answer(call.readings, None, str(error))
    except OpenError as error:
        for reading in error.readings:
            yield from answers(replace(call, readings={**call.readings, error.question: reading}))


@cache
def registrations_of(
    operator: str, domain: str = "", package: str = ""
) -> tuple[Registration, ...]:
    """The registrations of an operator; BadInputError if there are none.

    Args:
        operator: its name.
        domain: its domain; '' is ONNX's own.
        package: the package to look in, see `own.modules_below`; empty for the oracles here.
    """
    if package:
        return _own_registrations(package, operator, domain)
    from .index import module_of

    module = module_of().get((domain, operator))
    if module is None:
        raise BadInputError(
            f"operator '{_name(operator, domain)}' has no oracle: write one in generators/oracle/"
            "operators/ and name its module in oracle/index.py"
        )
    return tuple(
        entry
        for entry in registrations_in(module)
        if (entry.domain, entry.operator) == (domain, operator)
    )


def _own_registrations(package: str, operator: str, domain: str) -> tuple[Registration, ...]:
    """The registrations of one operator in somebody else's package."""
    every = package_registrations(package)
    found = tuple(item for item in every if (item.domain, item.operator) == (domain, operator))
    if not found:
        have = sorted({_name(item.operator, item.domain) for item in every})
        raise BadInputError(
            f"operator '{_name(operator, domain)}' has no oracle in {package}, which has"
            f" {', '.join(have) or 'none'}; write a function there with"
            f' @oracle("{operator}", domain="{domain}")'
        )
    return found


@cache
def package_registrations(package: str) -> tuple[Registration, ...]:
    """All registrations in somebody else's package; BadInputError if it cannot be imported."""
    from .own import modules_below

    return tuple(entry for module in modules_below(package) for entry in registered(module))


def _name(operator: str, domain: str) -> str:
    return f"{domain}:{operator}" if domain else operator
