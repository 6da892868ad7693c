"""Runtimes that are right about every operator and wrong in what they optimize.

As in `surroundings`, each is the interpreter of models with one step replaced. They are made from
tables, an area each: fusions of two neighbours, views that are read as memory, results that are
written over an input, shape computations that are propagated, and element types that one road
through a runtime does not know.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.model import Attribute, Node
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session

from .aliasing import BuffersReused
from .surroundings import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.interpreter.model import Function, Graph
    from onnx_conformance.generators.interpreter.scopes import Frame, Scope

    Values = Sequence[Value | None]


class Optimizing(Session):
    """A correct runtime that knows of each node which node made its inputs."""

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """What an optimizer gives for the node; what it computes where there is none."""
        given = self.optimized(node, values, frame)
        return super().execute(node, values, frame) if given is None else given

    def optimized(self, _node: Node, _values: Values, _frame: Frame) -> Values | None:
        """The outputs of a node that an optimizer changes."""
        return None

    def maker(self, name: str, frame: Frame) -> Node | None:
        """The node of the same graph that makes a value."""
        return next((item for item in frame.nodes if name and name in item.outputs), None)

    def inputs(self, node: Node, frame: Frame) -> list[Value | None]:
        """The values that a node takes."""
        return [frame.scope.value(name) if name else None for name in node.inputs]

    def apply(self, frame: Frame, operator: str, values: Values, **attributes: Any) -> Value | None:  # noqa: ANN401
        """What an operator gives."""
        kinds = {int: "int", float: "float", tuple: "ints"}
        given = tuple(
            Attribute(name, kinds[type(value)], value) for name, value in attributes.items()
        )
        names = tuple(f"in_{index}" for index in range(len(values)))
        node = Node("", operator, "", names, ("out",), given)
        return Session.execute(self, node, values, frame)[0]

    def again(self, frame: Frame, node: Node, values: Values) -> Values:
        """What a node of the graph gives for other values."""
        return Session.execute(self, node, values, frame)


def attribute(node: Node, name: str, default: Any = None) -> Any:  # noqa: ANN401
    """An attribute's value."""
    return next((item.value for item in node.attributes if item.name == name), default)


def ints(value: Value | None) -> tuple[int, ...]:
    """The elements of an int64 tensor."""
    if not isinstance(value, Tensor) or value.type != "int64" or not isinstance(value.data, bytes):
        return ()
    return struct.unpack(f"<{value.element_count}q", value.data)


def int64(values: Sequence[int], shape: tuple[int, ...] | None = None) -> Tensor:
    """An int64 tensor, cut to 64 bits."""
    wrapped = [(item + 2**63) % 2**64 - 2**63 for item in values]
    return Tensor(
        "int64",
        (len(values),) if shape is None else shape,
        struct.pack(f"<{len(values)}q", *wrapped),
    )


# --- fusions: a node, the node before it, and what an optimizer makes of the two -----------------


@dataclass(frozen=True)
class Pair:
    """A node whose input another node made.

    Attributes:
        session, frame: where they stand.
        node, values: the node, and what it takes.
        before, taken: the node that made an input, and what that takes.
        place: which input.
    """

    session: Optimizing
    frame: Frame
    node: Node
    values: Values
    before: Node
    taken: Values
    place: int

    def apply(self, operator: str, *values: Value | None, **attributes: Any) -> Values:  # noqa: ANN401
        """One output of an operator."""
        return [self.session.apply(self.frame, operator, values, **attributes)]

    def other(self) -> Value | None:
        """The other input of a node that has two."""
        return self.values[1 - self.place]


def _composed(pair: Pair) -> Values | None:
    first, second = attribute(pair.before, "perm"), attribute(pair.node, "perm")
    if not first or not second:
        return None
    return pair.apply("Transpose", pair.taken[0], perm=tuple(second[axis] for axis in first))


def _inverse(pair: Pair) -> Values:
    return [pair.taken[0]]


def _zero_of_the_first(pair: Pair) -> Values | None:
    source, wanted = pair.taken[0], ints(pair.values[1])
    if not isinstance(source, Tensor) or 0 not in wanted:
        return None
    dims = [
        source.shape[axis] if size == 0 and axis < len(source.shape) else size
        for axis, size in enumerate(wanted)
    ]
    return pair.apply("Reshape", source, int64(dims))


def _second_alone(pair: Pair) -> Values:
    return pair.session.again(pair.frame, pair.node, [pair.taken[0], *pair.values[1:]])


def _first_alone(pair: Pair) -> Values:
    return [pair.values[pair.place]]


def _joined_at_once(pair: Pair) -> Values:
    values = [*pair.values[: pair.place], *pair.taken, *pair.values[pair.place + 1 :]]
    return pair.session.again(
        pair.frame, replace(pair.node, inputs=tuple(f"v{i}" for i in range(len(values)))), values
    )


def _narrower(pair: Pair) -> Values | None:
    if len(pair.values) != 3 or len(pair.taken) != 3:
        return None
    low = pair.session.apply(pair.frame, "Max", [pair.values[1], pair.taken[1]])
    high = pair.session.apply(pair.frame, "Min", [pair.values[2], pair.taken[2]])
    bounded = pair.session.apply(pair.frame, "Min", [pair.taken[0], high])
    return pair.apply("Max", bounded, low)


def _bias_of_a_row(pair: Pair) -> Values | None:
    """The addend has the rows of the product, as Gemm takes it."""
    product, addend = pair.values[pair.place], pair.other()
    if not isinstance(product, Tensor) or not isinstance(addend, Tensor):
        return None
    if len(addend.shape) > len(product.shape) or any(
        size not in {1, known}
        for size, known in zip(reversed(addend.shape), reversed(product.shape), strict=False)
    ):
        raise RefusedError("the bias does not fit")
    return None


def _column_as_row(pair: Pair) -> Values | None:
    addend = pair.other()
    if not isinstance(addend, Tensor) or len(addend.shape) != 2 or addend.shape[1] != 1:
        return None
    row = replace(addend, shape=(addend.shape[0],))
    return pair.apply("Add", pair.values[pair.place], row)


def _by_channel(pair: Pair) -> Values | None:
    other, product = pair.other(), pair.values[pair.place]
    if not isinstance(other, Tensor) or not isinstance(product, Tensor):
        return None
    if len(other.shape) != 1 or len(product.shape) != 4 or other.shape[0] != product.shape[1]:
        return None
    return pair.apply(pair.node.operator, product, replace(other, shape=(1, other.shape[0], 1, 1)))


def _pads_of_zero(pair: Pair) -> Values:
    padded = pair.session.apply(pair.frame, "Pad", pair.taken[:2])
    return pair.session.again(pair.frame, pair.node, [padded, *pair.values[1:]])


def _pads_of_the_pool(pair: Pair) -> Values | None:
    first = pair.taken[0]
    if not isinstance(first, Tensor) or first.type != "float32":
        return None
    least = Tensor("float32", (), struct.pack("<f", float("-inf")))
    padded = pair.session.apply(pair.frame, "Pad", [*pair.taken[:2], least])
    return pair.session.again(pair.frame, pair.node, [padded, *pair.values[1:]])


def _without_the_transpose(pair: Pair) -> Values | None:
    """The node is moved before the transpose with its axes as they are."""
    moved = pair.session.again(pair.frame, pair.node, [pair.taken[0], *pair.values[1:]])
    result = moved[0]
    perm = attribute(pair.before, "perm")
    if not isinstance(result, Tensor):
        return None
    if perm is not None and len(perm) != len(result.shape):
        return moved
    return pair.apply("Transpose", result, **({} if perm is None else {"perm": tuple(perm)}))


def _broadcast_before_the_transpose(pair: Pair) -> Values | None:
    source, other = pair.taken[0], pair.other()
    if not isinstance(source, Tensor) or not isinstance(other, Tensor) or not other.shape:
        return None
    ends = (1, source.shape[-1]) if source.shape else ()
    if other.shape[-1] not in ends:
        return None
    both = pair.session.apply(pair.frame, pair.node.operator, [source, other])
    return pair.apply("Transpose", both)


def _added_first(pair: Pair) -> Values | None:
    constants = pair.session.model.graph.initializers
    mine, other = pair.node.inputs[1 - pair.place], pair.before.inputs[-1]
    if mine not in constants or other not in constants:
        return None
    both = pair.session.apply(pair.frame, "Add", [constants[mine], constants[other]])
    return pair.apply("Add", pair.taken[0], both)


def _greater_or_equal(pair: Pair) -> Values:
    return pair.apply("GreaterOrEqual", *pair.taken)


def _index_in_the_first(pair: Pair) -> Values | None:
    first, at = pair.taken[0], ints(pair.values[1])
    if not isinstance(first, Tensor) or not first.shape or not first.shape[0] or not at:
        return None
    cut = int64([item % first.shape[0] for item in at], getattr(pair.values[1], "shape", None))
    return pair.apply("Gather", first, cut)


_FUSIONS: Mapping[str, tuple[str, str, Callable[[Pair], Values | None]]] = {
    "two transposes are merged in the wrong order": ("Transpose", "Transpose", _composed),
    "two transposes cancel": ("Transpose", "Transpose", _inverse),
    "two transposes are the second": ("Transpose", "Transpose", _second_alone),
    "a zero of a merged Reshape is of the first input": (
        "Reshape",
        "Reshape",
        _zero_of_the_first,
    ),
    "two slices are the second": ("Slice", "Slice", _second_alone),
    "two slices are the first": ("Slice", "Slice", _first_alone),
    "a Cast before a Cast is dropped": ("Cast", "Cast", _second_alone),
    "Concats along different axes are merged": ("Concat", "Concat", _joined_at_once),
    "Unsqueeze and Squeeze cancel": ("Unsqueeze", "Squeeze", _inverse),
    "a Relu after a Clip is dropped": ("Clip", "Relu", _first_alone),
    "a Clip after a Relu takes its place": ("Relu", "Clip", _second_alone),
    "two Clips are the narrower limits": ("Clip", "Clip", _narrower),
    "the bias of MatMul and Add fits Gemm or is refused": ("MatMul", "Add", _bias_of_a_row),
    "a column that is added to a product is taken for a row": ("MatMul", "Add", _column_as_row),
    "a factor after a Conv is of its channels": ("Conv", "Mul", _by_channel),
    "an addend after a Conv is of its channels": ("Conv", "Add", _by_channel),
    "a Pad before a Conv is of zeros": ("Pad", "Conv", _pads_of_zero),
    "a Pad before a pool is the pool's own": ("Pad", "MaxPool", _pads_of_the_pool),
    "a reduction is moved before a transpose": ("Transpose", "ReduceSum", _without_the_transpose),
    "a Slice is moved before a transpose": ("Transpose", "Slice", _without_the_transpose),
    "a Hardmax is moved before a transpose": ("Transpose", "Hardmax", _without_the_transpose),
    "a DequantizeLinear is moved before a transpose": (
        "Transpose",
        "DequantizeLinear",
        _without_the_transpose,
    ),
    "an Add is moved before a transpose": (
        "Transpose",
        "Add",
        _broadcast_before_the_transpose,
    ),
    "two reductions are the second": ("ReduceSum", "ReduceSum", _second_alone),
    "quantizing and dequantizing cancel": ("QuantizeLinear", "DequantizeLinear", _inverse),
    "constants are added first": ("Add", "Add", _added_first),
    "not less is greater or equal": ("Less", "Not", _greater_or_equal),
    "a Gather of a Concat is of its first part": ("Concat", "Gather", _index_in_the_first),
}


def _fusing(before: str, operator: str, fuse: Callable[[Pair], Values | None]) -> type[Session]:
    class Fusing(Optimizing):
        def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
            if node.operator != operator or node.domain:
                return None
            for place, name in enumerate(node.inputs):
                maker = self.maker(name, frame)
                if maker is not None and maker.operator == before and not maker.domain:
                    taken = self.inputs(maker, frame)
                    return fuse(Pair(self, frame, node, values, maker, taken, place))
            return None

    return Fusing


# --- what is simplified by itself ----------------------------------------------------------------


def _simplifying(operator: str, simplify: Callable[..., Value | None]) -> type[Session]:
    class Simplifying(Optimizing):
        def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
            if node.operator != operator or node.domain:
                return None
            result = simplify(self, node, values, frame)
            return None if result is None else [result]

    return Simplifying


def _all_are(value: Value | None, number: float) -> bool:
    return (
        isinstance(value, Tensor)
        and value.type == "float32"
        and isinstance(value.data, bytes)
        and value.data == struct.pack("<f", number) * value.element_count
    )


def _without(number: float) -> Callable[..., Value | None]:
    def simplify(_session: Optimizing, _node: Node, values: Values, _frame: Frame) -> Value | None:
        return values[0] if len(values) == 2 and _all_are(values[1], number) else None

    return simplify


def _same_inputs(number: float) -> Callable[..., Value | None]:
    def simplify(_session: Optimizing, node: Node, values: Values, _frame: Frame) -> Value | None:
        value = values[0]
        if len(set(node.inputs)) > 1 or not isinstance(value, Tensor) or value.type != "float32":
            return None
        return replace(value, data=struct.pack("<f", number) * value.element_count)

    return simplify


def _times_zero(_session: Optimizing, _node: Node, values: Values, _frame: Frame) -> Value | None:
    value = values[0]
    if not isinstance(value, Tensor) or not _all_are(values[1], 0.0):
        return None
    return replace(value, data=bytes(4 * value.element_count))


def _chosen(_session: Optimizing, node: Node, values: Values, _frame: Frame) -> Value | None:
    condition = values[0]
    if not isinstance(condition, Tensor) or not isinstance(condition.data, bytes):
        return None
    constant = node.inputs[0] in _session.model.graph.initializers
    return values[1] if constant and condition.data and all(condition.data) else None


def _by_reciprocal(
    _session: Optimizing, _node: Node, values: Values, _frame: Frame
) -> Value | None:
    value, divisor = values
    if not isinstance(value, Tensor) or not isinstance(divisor, Tensor):
        return None
    if value.type != "int32" or divisor.element_count != 1:
        return None
    if not isinstance(value.data, bytes) or not isinstance(divisor.data, bytes):
        return None
    by = struct.unpack("<i", divisor.data)[0] or 1
    (factor,) = struct.unpack("<f", struct.pack("<f", 1 / by))
    items = struct.unpack(f"<{value.element_count}i", value.data)
    return replace(
        value, data=struct.pack(f"<{len(items)}i", *(int(item * factor) for item in items))
    )


_SIMPLIFICATIONS: Mapping[str, tuple[str, Callable[..., Value | None]]] = {
    "adding 0 is dropped with its broadcasting": ("Add", _without(0.0)),
    "a product with 1 is dropped with its broadcasting": ("Mul", _without(1.0)),
    "x - x is 0": ("Sub", _same_inputs(0.0)),
    "x / x is 1": ("Div", _same_inputs(1.0)),
    "x * 0 is 0": ("Mul", _times_zero),
    "Where of a constant is not broadcast": ("Where", _chosen),
    "a division of integers is a product with the reciprocal": ("Div", _by_reciprocal),
}


# --- views ---------------------------------------------------------------------------------------

_ELEMENTWISE = frozenset({"Neg", "Abs", "Add", "Sub", "Mul"})
_VIEWS = ("Transpose", "Slice", "Split", "Expand")
_READERS: Mapping[str, frozenset[str]] = {
    "elementwise operators": _ELEMENTWISE,
    "Reshape": frozenset({"Reshape"}),
    "products": frozenset({"MatMul", "Gemm"}),
    "Concat": frozenset({"Concat"}),
    "reductions": frozenset({"ReduceSum", "ReduceMax", "ReduceProd"}),
    "indexing": frozenset({"Gather", "ScatterND", "Slice"}),
    "Transpose": frozenset({"Transpose"}),
}


def _as_memory(view: Tensor, source: Tensor) -> Tensor:
    """The dimensions of a view with the elements that lie at the beginning of its source."""
    size = element_type(view.type).bits // 8
    if not isinstance(source.data, bytes) or not size or not source.data:
        return view
    wanted = view.element_count * size
    repeated = source.data * (wanted // len(source.data) + 1)
    return replace(view, data=repeated[:wanted])


def _reading_memory(view: str, readers: frozenset[str]) -> type[Session]:
    class ReadingMemory(Optimizing):
        def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
            if node.operator not in readers or node.domain:
                return None
            found: list[Value | None] = []
            for name, value in zip(node.inputs, values, strict=True):
                maker = self.maker(name, frame)
                if maker is not None and maker.operator == view and isinstance(value, Tensor):
                    source = frame.scope.value(maker.inputs[0])
                    found.append(_as_memory(value, source) if isinstance(source, Tensor) else value)
                else:
                    found.append(value)
            return None if list(values) == found else self.again(frame, node, found)

    return ReadingMemory


_IN_PLACE = ("Abs", "Add", "Sub", "Mul", "Neg", "ScatterND", "Relu", "Clip", "Cast")


def _in_place(operator: str) -> type[Session]:
    class InPlace(Session):
        def keep(self, node: Node, results: Values, scope: Scope) -> None:
            super().keep(node, results, scope)
            first, result = node.inputs[0] if node.inputs else "", results[0] if results else None
            known = scope.values.get(first)
            if (
                node.operator == operator
                and isinstance(known, Tensor)
                and isinstance(result, Tensor)
                and len(known.data) == len(result.data)
            ):
                scope.values[first] = replace(known, data=result.data)

    return InPlace


def _through_a_view(operator: str) -> type[Session]:
    """What an operator writes over its input is seen by what that is a view of."""

    class ThroughAView(Session):
        def keep(self, node: Node, results: Values, scope: Scope) -> None:
            super().keep(node, results, scope)
            made = self.__dict__.setdefault("made", {})
            if node.operator in {"Reshape", "Squeeze", "Unsqueeze", "Identity"}:
                made[node.outputs[0]] = node.inputs[0]
            if node.operator != operator or not isinstance(results[0], Tensor):
                return
            source = made.get(node.inputs[0])
            known = scope.values.get(source) if source else None
            if isinstance(known, Tensor) and len(known.data) == len(results[0].data):
                scope.values[source] = replace(known, data=results[0].data)

    return ThroughAView


# --- shapes that are propagated ------------------------------------------------------------------


class Propagating(Optimizing):
    """Knows which values come from a Shape or Size: those are what symbolic inference follows."""

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """A node in a computation of shapes is computed by the propagator."""
        known = self.__dict__.setdefault("known", set())
        chain = node.operator in {"Shape", "Size"} or any(
            (id(frame.scope), name) in known for name in node.inputs if name
        )
        if not chain:
            return super().execute(node, values, frame)
        results = self.propagated(node, values, frame)
        if results is None:
            results = super().execute(node, values, frame)
        known.update((id(frame.scope), name) for name in node.outputs if name)
        return results

    def propagated(self, _node: Node, _values: Values, _frame: Frame) -> Values | None:
        """What the propagator says."""
        return None


def _changed(change: Callable[[list[int]], list[int]]) -> Callable[..., Values | None]:
    """The result of a node, of integers, with other numbers."""

    def propagate(session: Propagating, node: Node, values: Values, frame: Frame) -> Values | None:
        (result,) = session.again(frame, node, values)[:1]
        if not isinstance(result, Tensor) or result.type != "int64":
            return None
        return [int64(change(list(ints(result))), result.shape)]

    return propagate


def _in_32_bits(items: list[int]) -> list[int]:
    return [(item + 2**31) % 2**32 - 2**31 for item in items]


def _as_float32(items: list[int]) -> list[int]:
    return [int(struct.unpack("<f", struct.pack("<f", item))[0]) for item in items]


def _instead(operator: str) -> Callable[..., Values | None]:
    def propagate(session: Propagating, _node: Node, values: Values, frame: Frame) -> Values | None:
        return [session.apply(frame, operator, values)]

    return propagate


def _given(place: int) -> Callable[..., Values | None]:
    def propagate(_session: Propagating, _node: Node, values: Values, _frame: Frame) -> Values:
        return [values[place]]

    return propagate


def _swapped(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    return session.again(frame, node, list(reversed(values)))


def _index_from_the_front(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    index = values[1]
    wanted = int64([max(item, 0) for item in ints(index)], getattr(index, "shape", None))
    return session.again(frame, node, [values[0], wanted])


def _always_a_vector(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    (result,) = session.again(frame, node, values)
    if isinstance(result, Tensor) and not result.shape:
        return [replace(result, shape=(1,))]
    return [result]


def _from_the_beginning(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    starts = values[1]
    zero = int64([0] * len(ints(starts)), getattr(starts, "shape", None))
    return session.again(frame, node, [values[0], zero, *values[2:]])


def _without_attributes(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    return session.again(frame, replace(node, attributes=()), values)


def _all_true(session: Propagating, node: Node, values: Values, frame: Frame) -> Values:
    (result,) = session.again(frame, node, values)
    if not isinstance(result, Tensor):
        return [result]
    return [replace(result, data=b"\1" * result.element_count)]


def _unknown(_session: Propagating, node: Node, _values: Values, _frame: Frame) -> Values:
    raise RefusedError(f"the shape depends on {node.operator}")


def _rounded_up(session: Propagating, node: Node, values: Values, frame: Frame) -> Values | None:
    value = values[0]
    if not isinstance(value, Tensor) or value.type != "float32":
        return None
    return session.again(frame, node, [session.apply(frame, "Ceil", [value])])


_PROPAGATIONS: Mapping[str, tuple[str, Callable[..., Values | None]]] = {
    "a negative index of Gather is 0": ("Gather", _index_from_the_front),
    "Gather with a scalar gives a vector": ("Gather", _always_a_vector),
    "Slice begins at 0": ("Slice", _from_the_beginning),
    "start and end of Shape are ignored": ("Shape", _without_attributes),
    "Concat is in the reverse order": ("Concat", _swapped),
    "Unsqueeze of a number is the number": ("Unsqueeze", _given(0)),
    "Reshape of a number is the number": ("Reshape", _given(0)),
    "Add is Sub": ("Add", _instead("Sub")),
    "Sub is Add": ("Sub", _instead("Add")),
    "Sub is the other way round": ("Sub", _swapped),
    "Mul is in 32 bits": ("Mul", _changed(_in_32_bits)),
    "Mul is in float32": ("Mul", _changed(_as_float32)),
    "Mul is Add": ("Mul", _instead("Add")),
    "Div is the other way round": ("Div", _swapped),
    "ReduceProd is a sum": ("ReduceProd", _changed(lambda items: [item + 1 for item in items])),
    "Size is one too few": ("Size", _changed(lambda items: [item - 1 for item in items])),
    "Size is in float32": ("Size", _changed(_as_float32)),
    "Where takes its third input": ("Where", _given(2)),
    "Where takes its second input": ("Where", _given(1)),
    "Equal is true": ("Equal", _all_true),
    "Range is refused": ("Range", _unknown),
    "Range begins at 1": ("Range", _changed(lambda items: [item + 1 for item in items])),
    "ConstantOfShape is refused": ("ConstantOfShape", _unknown),
    "Cast of a float rounds up": ("Cast", _rounded_up),
    "Floor is dropped": ("Floor", _given(0)),
    "Cast is refused": ("Cast", _unknown),
    "Loop is refused": ("Loop", _unknown),
    "a dimension that is not positive becomes 1": (
        "Concat",
        _changed(lambda items: [max(item, 1) for item in items]),
    ),
}


def _propagating(operator: str, propagate: Callable[..., Values | None]) -> type[Session]:
    class Propagator(Propagating):
        def propagated(self, node: Node, values: Values, frame: Frame) -> Values | None:
            if node.operator != operator or node.domain:
                return None
            return propagate(self, node, values, frame)

    return Propagator


# --- types that one road does not know -----------------------------------------------------------

_TYPES = (
    *("float16", "bfloat16", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "string"),
)


def _has(values: Values, name: str) -> bool:
    return any(isinstance(item, Tensor) and item.type == name for item in values)


def _no_functions_of(name: str) -> type[Session]:
    class NoFunctions(Session):
        def call_function(
            self, function: Function, attributes: Sequence[Attribute], values: Values
        ) -> Values:
            if _has(values, name):
                raise RefusedError(f"a function of {name}")
            return super().call_function(function, attributes, values)

    return NoFunctions


def _no_captures_of(name: str) -> type[Session]:
    class NoCaptures(Session):
        def run_subgraph(
            self, graph: Graph, frame: Frame, values: Sequence[Value]
        ) -> tuple[Value, ...]:
            results = super().run_subgraph(graph, frame, values)
            if _has(results, name):
                raise RefusedError(f"a subgraph gives {name}")
            return results

    return NoCaptures


def _no_initializers_of(name: str) -> type[Session]:
    class NoInitializers(Session):
        def initial_values(
            self, graph: Graph, feeds: Mapping[str, Value]
        ) -> dict[str, Value | None]:
            if _has(tuple(graph.initializers.values()), name):
                raise RefusedError(f"an initializer of {name}")
            return super().initial_values(graph, feeds)

    return NoInitializers


def _memory_of(name: str) -> type[Session]:
    """Slices of this type begin at the beginning."""

    class Memory(Optimizing):
        def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
            if node.operator != "Slice" or not _has(values[:1], name) or name == "string":
                return None
            (result,) = self.again(frame, node, values)
            if not isinstance(result, Tensor) or not isinstance(values[0], Tensor):
                return None
            return [_as_memory(result, values[0])]

    return Memory


_ROADS: Mapping[str, Callable[[str], type[Session]]] = {
    "functions do not take": _no_functions_of,
    "subgraphs do not give": _no_captures_of,
    "initializers are not": _no_initializers_of,
    "slices lose their offset in": _memory_of,
}


# --- runs that are taken for an earlier one ------------------------------------------------------


def _numbers(value: Value) -> tuple[float, ...]:
    """The elements of a tensor in order, by their bits where they are no float32 or int64."""
    if not isinstance(value, Tensor) or not isinstance(value.data, bytes):
        return ()
    if value.type == "float32":
        return struct.unpack(f"<{value.element_count}f", value.data)
    return ints(value) if value.type == "int64" else tuple(value.data)


def _shape(value: Value) -> tuple[int, ...]:
    return value.shape if isinstance(value, Tensor) else ()


_KEYS: Mapping[str, Callable[[Value], object]] = {
    "their ranks": lambda value: len(_shape(value)),
    "their last dimensions": lambda value: _shape(value)[-1:],
    "their first dimensions": lambda value: _shape(value)[:1],
    "their numbers of elements": lambda value: len(_numbers(value)),
    "their sums": lambda value: (sum(_numbers(value)), len(_numbers(value))),
    "their first elements": lambda value: _numbers(value)[:1],
    "their last elements": lambda value: _numbers(value)[-1:],
    "their largest elements": lambda value: max(_numbers(value), default=None),
    "their types": lambda value: value.type if isinstance(value, Tensor) else None,
    "their elements without order": lambda value: tuple(sorted(_numbers(value))),
    "their elements without shape": _numbers,
}


def _kept_by(key: Callable[[Value], object]) -> type[Session]:
    class Kept(Session):
        def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
            memory = self.__dict__.setdefault("memory", {})
            known = tuple((name, key(value)) for name, value in sorted(feeds.items()))
            if known not in memory:
                memory[known] = super().run(feeds)
            found: dict[str, Value] = memory[known]
            return found

    return Kept


class FirstInputDecides(Session):
    """A run is that of the same first input, whatever the others are."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """The outputs that the first input had."""
        memory = self.__dict__.setdefault("memory", {})
        first = next(iter(feeds.values()), None)
        if first not in memory:
            memory[first] = super().run(feeds)
        found: dict[str, Value] = memory[first]
        return found


class LargestRunIsKept(Session):
    """Elements behind the end of an output are those of a larger run before."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """Each output has at least as many elements along its first axis as before."""
        before = self.__dict__.setdefault("before", {})
        outputs = super().run(feeds)
        for name, value in outputs.items():
            if isinstance(value, Tensor) and len(value.shape) == 1:
                known = before.setdefault(name, value)
                if len(known.data) > len(value.data):
                    outputs[name] = known
                else:
                    before[name] = value
        return outputs


class OneRunOnly(Session):
    """A loaded model runs once."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """Refuse the second run."""
        if self.__dict__.setdefault("ran", False):
            raise RefusedError("the model has run")
        self.__dict__["ran"] = True
        return super().run(feeds)


class ConditionsStay(Optimizing):
    """An If takes the branch of the first run."""

    def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
        """The condition that was there first."""
        if node.operator != "If" or frame.scope.outer is not None:
            return None
        first = self.__dict__.setdefault("conditions", {}).setdefault(id(node), values)
        return self.again(frame, node, first)


# --- inputs, outputs and names -------------------------------------------------------------------


class InputsByUse(Session):
    """Inputs are bound in the order in which nodes take them."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """The first that is fed goes to the first that is used."""
        used = [name for node in graph.nodes for name in node.inputs if name in feeds]
        names = list(dict.fromkeys([*used, *feeds]))
        return super().initial_values(graph, dict(zip(names, feeds.values(), strict=True)))


class OutputsByNodes(Session):
    """Outputs are given in the order of the nodes that make them."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """The names stay, and the values change places."""
        outputs = super().run(feeds)
        made = [name for node in self.model.graph.nodes for name in node.outputs]
        order = sorted(outputs, key=lambda name: made.index(name) if name in made else -1)
        return dict(zip(outputs, (outputs[name] for name in order), strict=True))


class NamesWithoutCase(Session):
    """Names that differ in case are one."""

    def keep(self, node: Node, results: Values, scope: Scope) -> None:
        """Whoever is alike has the value."""
        super().keep(node, results, scope)
        for name, result in zip(node.outputs, results, strict=False):
            for other in list(scope.values):
                if other.lower() == name.lower():
                    scope.values[other] = result


def _refusing(
    word: str, is_refused: Callable[[Session, Mapping[str, Value]], bool]
) -> type[Session]:
    class Refusing(Session):
        def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
            if is_refused(self, feeds):
                raise RefusedError(word)
            return super().run(feeds)

    return Refusing


def _inputs_of_nodes(session: Session) -> set[str]:
    return {name for node in session.model.graph.nodes for name in node.inputs}


def _outputs_of_nodes(session: Session) -> list[str]:
    return [name for node in session.model.graph.nodes for name in node.outputs]


def _outputs(session: Session) -> set[str]:
    return {item.name for item in session.model.graph.outputs}


_REFUSALS: Mapping[str, Callable[[Session, Mapping[str, Value]], bool]] = {
    "inputs that no node takes": lambda session, feeds: bool(
        feeds.keys() - _inputs_of_nodes(session) - _outputs(session)
    ),
    "inputs that are outputs": lambda session, feeds: bool(feeds.keys() & _outputs(session)),
    "initializers that are outputs": lambda session, _feeds: bool(
        session.model.graph.initializers.keys() & _outputs(session)
    ),
    "initializers that no node takes": lambda session, _feeds: bool(
        session.model.graph.initializers.keys() - _inputs_of_nodes(session) - _outputs(session)
    ),
    "initializers without elements": lambda session, _feeds: any(
        not item.element_count for item in session.model.graph.initializers.values()
    ),
    "outputs that other nodes take": lambda session, _feeds: bool(
        _outputs(session) & _inputs_of_nodes(session) & set(_outputs_of_nodes(session))
    ),
    "graphs without nodes": lambda session, _feeds: not session.model.graph.nodes,
    "nodes that nobody needs": lambda session, _feeds: (
        any(
            not (set(node.outputs) & (_inputs_of_nodes(session) | _outputs(session)))
            for node in session.model.graph.nodes
            if not any(item.type == "graph" for item in node.attributes)
        )
        and not any(
            item.type == "graph" for node in session.model.graph.nodes for item in node.attributes
        )
    ),
    "names that are no identifiers": lambda session, _feeds: any(
        name and not name.isidentifier()
        for name in (*_inputs_of_nodes(session), *_outputs_of_nodes(session))
    ),
    "empty names among inputs": lambda session, _feeds: any(
        "" in node.inputs for node in session.model.graph.nodes
    ),
    "empty names among outputs": lambda session, _feeds: "" in _outputs_of_nodes(session),
    "imports that no node uses": lambda session, _feeds: bool(
        session.model.imports.keys()
        - {node.domain for node in session.model.graph.nodes}
        - {key[0] for key in session.model.functions}
        - {""}
    ),
    "functions that no node calls": lambda session, _feeds: bool(
        {key[1] for key in session.model.functions}
        - {node.operator for node in session.model.graph.nodes}
        - {
            node.operator
            for function in session.model.functions.values()
            for node in function.nodes
        }
    ),
}


class EqualInitializersAreOne(Session):
    """Initializers of the same bytes are one."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """The first of those that are equal."""
        values = super().initial_values(graph, feeds)
        seen: dict[object, Tensor] = {}
        for name, tensor in graph.initializers.items():
            if name not in feeds:
                values[name] = seen.setdefault(tensor.data, tensor)
        return values


_NAMES = (InputsByUse, OutputsByNodes, NamesWithoutCase, EqualInitializersAreOne)
_RUNS = (FirstInputDecides, LargestRunIsKept, OneRunOnly, ConditionsStay)


def optimizers() -> Iterator[Fault]:
    """Every runtime of this module, each with its area before a colon."""
    for name, (before, operator, fuse) in _FUSIONS.items():
        yield Fault(f"fusions: {name}", name, _fusing(before, operator, fuse))
    for name, (operator, simplify) in _SIMPLIFICATIONS.items():
        yield Fault(f"fusions: {name}", name, _simplifying(operator, simplify))
    yield from _views()
    yield from _runs_and_names()
    for name, (operator, propagate) in _PROPAGATIONS.items():
        yield Fault(f"shapes: {name}", name, _propagating(operator, propagate))
    for road, make in _ROADS.items():
        for item in _TYPES:
            if not (road.startswith("slices") and item == "string"):
                yield Fault(f"types: {road} {item}", f"{road} {item}", make(item))


def _runs_and_names() -> Iterator[Fault]:
    for name, key in _KEYS.items():
        yield Fault(f"runs: kept by {name}", f"inputs are told apart by {name}", _kept_by(key))
    for item in _RUNS:
        yield Fault(f"runs: {item.__name__}", (item.__doc__ or "").strip(), item)
    for name, is_refused in _REFUSALS.items():
        yield Fault(f"names: no {name}", f"{name} are refused", _refusing(name, is_refused))
    for other in _NAMES:
        yield Fault(f"names: {other.__name__}", (other.__doc__ or "").strip(), other)


def _views() -> Iterator[Fault]:
    for view in _VIEWS:
        for readers, names in _READERS.items():
            if view not in names:
                yield Fault(
                    f"views: {readers} read the memory behind {view}",
                    "a view is read as the memory that it is a view of",
                    _reading_memory(view, names),
                )
    for operator in _IN_PLACE:
        yield Fault(f"views: {operator} in place", "the input is written over", _in_place(operator))
    yield Fault(
        "views: ScatterND writes through a view",
        "the value that its input is a view of is written over",
        _through_a_view("ScatterND"),
    )


class RunsRemembered(Session):
    """Caches whole runs by all that is fed: correct."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """What the same inputs gave, or a new run."""
        memory = self.__dict__.setdefault("memory", {})
        known = tuple(sorted(feeds.items(), key=lambda item: item[0]))
        if known not in memory:
            memory[known] = super().run(feeds)
        return dict(memory[known])


class ConstantsFolded(Optimizing):
    """Computes nodes of constants once, and shares equal ones: correct."""

    def optimized(self, node: Node, values: Values, frame: Frame) -> Values | None:
        """What the node gave before, by its operator, attributes and the values themselves."""
        if frame.given is not None or any(
            item.type.startswith("graph") for item in node.attributes
        ):
            return None
        if not node.inputs or node.domain or node.operator.startswith("Random"):
            return None
        memory = self.__dict__.setdefault("folded", {})
        key = (node.operator, repr(node.attributes), len(node.outputs), tuple(values))
        if key not in memory:
            memory[key] = self.again(frame, node, values)
        found: Values = memory[key]
        return found


def _in_order(pair: Pair) -> Values | None:
    first, second = attribute(pair.before, "perm"), attribute(pair.node, "perm")
    if not first or not second:
        return None
    return pair.apply("Transpose", pair.taken[0], perm=tuple(first[axis] for axis in second))


def _moved_with_its_axis(pair: Pair) -> Values | None:
    """A layout that changes: elementwise nodes of one input before the transpose."""
    moved = pair.session.again(pair.frame, pair.node, [pair.taken[0]])[0]
    perm = attribute(pair.before, "perm")
    return pair.apply("Transpose", moved, **({} if perm is None else {"perm": tuple(perm)}))


def innocents() -> Iterator[Fault]:
    """Correct runtimes of the same makes, which nothing may convict."""
    for item in (Optimizing, Propagating, RunsRemembered, ConstantsFolded, BuffersReused):
        yield Fault(item.__name__, (item.__doc__ or "").strip(), item)
    merged = _fusing("Transpose", "Transpose", _in_order)
    yield Fault("TransposesMerged", "Two transposes are merged: correct.", merged)
    moved = _fusing("Transpose", "Neg", _moved_with_its_axis)
    yield Fault("LayoutChanged", "Neg is moved before a transpose: correct.", moved)
