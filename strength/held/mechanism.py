"""The interpreter of models with one step replaced, and what is needed to replace one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.validity.checking import Checker

from ..surroundings import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.interpreter.model import Node
    from onnx_conformance.generators.interpreter.scopes import Frame

    Values = Sequence[Value | None]
    #: What a step is given or gives: its session, nodes, values, frames.
    Given: TypeAlias = Any

MOVING = frozenset(
    {
        "Identity",
        "Reshape",
        "Flatten",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "Concat",
        "Split",
        "Slice",
        "Gather",
        "Expand",
        "Tile",
        "Pad",
        "Where",
        "GatherElements",
        "GatherND",
        "ScatterElements",
        "ScatterND",
        "DepthToSpace",
        "SpaceToDepth",
        "Compress",
        "ReverseSequence",
        "Trilu",
        "CenterCropPad",
    }
)
UNARY = frozenset(
    {
        "Abs",
        "Neg",
        "Relu",
        "Exp",
        "Log",
        "Sqrt",
        "Floor",
        "Ceil",
        "Not",
        "Sigmoid",
        "Tanh",
        "Sign",
        "Reciprocal",
        "Erf",
    }
)
BINARY = frozenset({"Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Pow", "Min", "Max", "Mod"})


@dataclass(frozen=True)
class HeldFault(Fault):
    """A fault with its area, and what reads a model where that is wrong."""

    area: str = ""
    step: str = ""


class Held(Session):
    """The interpreter with one step replaced; `memory` lasts from run to run."""

    step: ClassVar[str] = ""
    wrong: ClassVar[Callable[..., Any]]

    def __init__(self, *arguments: Given) -> None:
        """As a Session."""
        super().__init__(*arguments)
        self.memory: dict[Any, Any] = {}

    def _step_of(self, step: str, right: Callable[..., Any], *given: Given) -> Given:
        return self.wrong(right, *given) if self.step == step else right(*given)

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """A run."""
        return self._step_of("run", super().run, feeds)

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """A node."""
        return self._step_of("execute", super().execute, node, values, frame)

    def initial_values(self, *given: Given) -> Given:
        """What a run begins with."""
        return self._step_of("initial_values", super().initial_values, *given)

    def keep(self, *given: Given) -> Given:
        """Where outputs go."""
        return self._step_of("keep", super().keep, *given)

    def signature(self, *given: Given) -> Given:
        """The version that a node means."""
        return self._step_of("signature", super().signature, *given)

    def resolved(self, *given: Given) -> Given:
        """The attributes of a node."""
        return self._step_of("resolved", super().resolved, *given)

    def call_function(self, *given: Given) -> Given:
        """A function."""
        return self._step_of("call_function", super().call_function, *given)

    def run_subgraph(self, *given: Given) -> Given:
        """A subgraph."""
        return self._step_of("run_subgraph", super().run_subgraph, *given)

    def subgraph(self, *given: Given) -> Given:
        """A subgraph in its scope."""
        return self._step_of("subgraph", super().subgraph, *given)

    def run_nodes(self, *given: Given) -> Given:
        """The nodes of a graph."""
        return self._step_of("run_nodes", super().run_nodes, *given)


_FAULTS: list[HeldFault] = []


def registered() -> tuple[HeldFault, ...]:
    """The faults of the modules that have been imported."""
    return tuple(_FAULTS)


def held(area: str, step: str = "execute") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a wrong step, called with the session, the right step and what that is given."""

    def register(wrong: Callable[..., Any]) -> Callable[..., Any]:
        name = wrong.__name__
        session = type(name, (Held,), {"step": step, "wrong": wrong})
        _FAULTS.append(
            HeldFault(name, (wrong.__doc__ or "").strip(), session, area=area, step=step)
        )
        return wrong

    return register


def unchecked(
    area: str, *rules: str, taken: Callable[..., Any] | None = None
) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Register rules that are not checked where the function says so, given checker and message.

    Args:
        area: of the fault.
        rules: the rules.
        taken: what a node that breaks them is taken for, as a step `execute`.
    """

    def register(ignores: Callable[..., bool]) -> Callable[..., bool]:
        name = ignores.__name__

        def refuse(self: Given, rule: str, message: str) -> None:
            if rule not in rules or not ignores(self, message):
                raise RefusedError(message)

        checker = type(name, (Checker,), {"refuse": refuse})
        content = {"refuse": refuse}
        if taken is not None:
            content |= {"step": "execute", "wrong": taken}
        session = type(name, (Held,), content)
        _FAULTS.append(
            HeldFault(name, (ignores.__doc__ or "").strip(), session, checker, area=area)
        )
        return ignores

    return register


def bits_of(tensor: Tensor) -> int:
    """Bits of an element, 0 for a string."""
    return 0 if isinstance(tensor.data, tuple) else element_type(tensor.type).bits


def cells(tensor: Tensor) -> list[Any]:
    """The elements: bit patterns, or byte strings."""
    if isinstance(tensor.data, tuple):
        return list(tensor.data)
    bits = bits_of(tensor)
    if bits % 8 == 0:
        step = bits // 8
        data = tensor.data
        return [int.from_bytes(data[at : at + step], "little") for at in range(0, len(data), step)]
    packed = int.from_bytes(tensor.data, "little")
    return [packed >> bits * at & (1 << bits) - 1 for at in range(tensor.element_count)]


def filled(tensor: Tensor, items: Sequence[Any], shape: tuple[int, ...] | None = None) -> Tensor:
    """A tensor of the same type with other elements."""
    shape = tensor.shape if shape is None else shape
    if isinstance(tensor.data, tuple):
        return Tensor(tensor.type, shape, tuple(items))
    bits, packed = bits_of(tensor), 0
    for at, item in enumerate(items):
        packed |= item << bits * at
    return Tensor(tensor.type, shape, packed.to_bytes((bits * len(items) + 7) // 8, "little"))


def first_tensor(values: Values) -> Tensor | None:
    """The first input if it is a tensor."""
    return values[0] if values and isinstance(values[0], Tensor) else None


def changed(values: Values, change: Callable[[Tensor], Tensor]) -> list[Value | None]:
    """Tensors changed, others as they are."""
    return [change(item) if isinstance(item, Tensor) else item for item in values]


def each(change: Callable[[Any], Any], *types: str) -> Callable[[Tensor], Tensor]:
    """A change of each element of tensors of some types."""

    def change_tensor(tensor: Tensor) -> Tensor:
        if tensor.type not in types or tensor.element_count > 4096:
            return tensor
        return filled(tensor, [change(item) for item in cells(tensor)])

    return change_tensor


def permuted(shape: tuple[int, ...], axes: Sequence[int]) -> list[int]:
    """Where each element of a transposed tensor comes from."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    places = [0]
    for axis in axes:
        places = [base + strides[axis] * at for base in places for at in range(shape[axis])]
    return places


def maker(frame: Frame, name: str) -> Node | None:
    """The node of the same graph that makes a value."""
    return next((item for item in frame.nodes if name and name in item.outputs), None)


def is_made_by(frame: Frame, name: str, *operators: str) -> bool:
    """Whether a value comes from a node of some operators."""
    made = maker(frame, name)
    return made is not None and made.operator in operators


def of_sizes(frame: Frame, name: str, depth: int = 4) -> bool:
    """Whether a value follows from a Shape or Size."""
    made = maker(frame, name)
    if made is None or depth == 0:
        return False
    if made.operator in {"Shape", "Size"}:
        return True
    return any(of_sizes(frame, item, depth - 1) for item in made.inputs)


def shapes_of(values: Given) -> tuple[Any, ...]:
    """The types and shapes of tensors, None for what is none."""
    return tuple((it.type, it.shape) if isinstance(it, Tensor) else None for it in values)
