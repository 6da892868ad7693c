"""Replaces a graph input by nodes, in the ways in which exporters compute shapes.

A case has a fed graph input of type int64, such as the shape of a Reshape; `computed` names it.
Each way removes that input from the model and adds nodes that compute the same values, most of them
from the Shape of a tensor that stays a graph input. A runtime that folds, propagates or guesses
these values executes other code for each way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError

from ..specs.model import Literal
from .model import Run

if TYPE_CHECKING:
    import onnx


_FLOAT, _INT32, _INT64, _BOOL = 1, 6, 7, 9
_DOMAIN = "local"
_BIG = 2**33


@dataclass
class _Nodes:
    """The nodes that are added before those of a graph.

    Attributes:
        name: the value that is computed; names of added values begin with it.
        values: its elements.
        source: the tensor whose dimensions are used.
        dims: these dimensions.
        model: the model whose graph it is.
        nodes: the nodes so far, in the order in which they run.
        fed: graph inputs that the model gets for them, with what is fed.
        count: how many values have a name of their own so far.
    """

    model: onnx.ModelProto
    name: str
    values: tuple[int, ...]
    source: str
    dims: tuple[int, ...]
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    fed: dict[str, Literal] = field(default_factory=dict)
    count: int = 0

    @property
    def first(self) -> int:
        """The first of the dimensions."""
        return self.dims[0]

    def own(self) -> str:
        """A name that is not used yet."""
        self.count += 1
        return f"{self.name}_{self.count}"

    def put(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        """Add a node; return the name of its output."""
        from onnx import helper

        name = self.own()
        self.nodes.append(
            helper.make_node(operator, list(inputs), [name], domain=domain, **attributes)
        )
        return name

    def ints(self, values: Sequence[int]) -> str:
        """A constant vector of int64."""
        return self.constant(_INT64, [len(values)], values)

    def number(self, value: int) -> str:
        """A constant scalar of int64."""
        return self.constant(_INT64, [], [value])

    def constant(self, code: int, dims: Sequence[int], values: Sequence[float]) -> str:
        """An initializer."""
        from onnx import helper

        name = self.own()
        self.model.graph.initializer.append(helper.make_tensor(name, code, dims, list(values)))
        return name

    def feed(self, code: int, value: bool) -> str:  # noqa: FBT001  of an input
        """A scalar graph input."""
        from onnx import helper

        name = self.own()
        self.model.graph.input.append(helper.make_tensor_value_info(name, code, []))
        self.fed[name] = Literal((), (value,))
        return name

    def shape(self) -> str:
        """The dimensions of the source."""
        return self.put("Shape", self.source)

    def size(self) -> str:
        """The first dimension, as a vector of one."""
        return self.put("Gather", self.shape(), self.ints([0]))

    def plus(self, name: str, value: int) -> str:
        """The values, computed from a name that holds `value`."""
        return self.put("Add", name, self.ints([item - value for item in self.values]))


def _gather_vector(made: _Nodes) -> str:
    return made.plus(made.size(), made.first)


def _gather_scalar(made: _Nodes) -> str:
    size = made.put("Gather", made.shape(), made.number(0))
    parts = []
    for value in made.values:
        moved = made.put("Add", size, made.number(value - made.first))
        parts.append(made.put("Unsqueeze", moved, made.ints([0])))
    return made.put("Concat", *parts, axis=0)


def _gather_negative(made: _Nodes) -> str:
    at = made.number(-len(made.dims))
    size = made.put("Unsqueeze", made.put("Gather", made.shape(), at), made.ints([0]))
    return made.put("Sub", size, made.ints([made.first - item for item in made.values]))


def _slice(made: _Nodes) -> str:
    return made.plus(made.put("Slice", made.shape(), made.ints([0]), made.ints([1])), made.first)


def _slice_from_the_back(made: _Nodes) -> str:
    rank = len(made.dims)
    ends = made.ints([1 - rank] if rank > 1 else [2**63 - 1])
    return made.plus(
        made.put("Slice", made.shape(), made.ints([-rank]), ends, made.ints([0])), made.first
    )


def _shape_with_an_end(made: _Nodes) -> str:
    return made.plus(made.put("Shape", made.source, start=0, end=1), made.first)


def _reshape_to_one(made: _Nodes) -> str:
    size = made.put("Gather", made.shape(), made.number(0))
    return made.plus(made.put("Reshape", size, made.ints([-1])), made.first)


def _concat_with_constants(made: _Nodes) -> str:
    head = made.put("Sub", made.size(), made.ints([made.first - made.values[0]]))
    rest = [made.ints([item]) for item in made.values[1:]]
    return made.put("Concat", head, *rest, axis=0)


def _constants_then_a_dimension(made: _Nodes) -> str:
    tail = made.put("Sub", made.size(), made.ints([made.first - made.values[-1]]))
    return made.put("Concat", made.ints(made.values[:-1]), tail, axis=0)


def _mul_and_div(made: _Nodes) -> str:
    size = made.size()
    return made.put("Div", made.put("Mul", size, made.ints(made.values)), size)


def _beyond_32_bits(made: _Nodes) -> str:
    """The values times the dimension times 2^33, and divided again."""
    factor = made.put("Mul", made.size(), made.ints([_BIG]))
    return made.put("Div", made.put("Mul", factor, made.ints(made.values)), factor)


def _reduce_prod(made: _Nodes) -> str:
    product = made.put("ReduceProd", made.shape(), keepdims=1)
    return made.plus(product, math.prod(made.dims))


def _size(made: _Nodes) -> str:
    count = made.put("Unsqueeze", made.put("Size", made.source), made.ints([0]))
    return made.plus(count, math.prod(made.dims))


def _where_equal(made: _Nodes) -> str:
    """Values that are present stay; a sentinel is replaced by the first value."""
    size = made.size()
    sentinel = made.put("Sub", size, made.ints([made.first + 77]))
    known = made.ints([-77, *made.values[1:]])
    head = made.put("Add", size, made.ints([made.values[0] - made.first]))
    return made.put("Where", made.put("Equal", known, sentinel), head, known)


def _constant_of_shape(made: _Nodes) -> str:
    """As Expand is exported: ones of a computed length, and Where."""
    from onnx import helper

    constant = made.ints([77 if index == 0 else item for index, item in enumerate(made.values)])
    length = made.put("Shape", constant)
    value = helper.make_tensor("value", _INT64, [1], [77])
    filled = made.put("ConstantOfShape", length, value=value)
    head = made.put("Sub", made.size(), made.ints([made.first - made.values[0]]))
    return made.put("Where", made.put("Equal", constant, filled), head, constant)


def _range(made: _Nodes) -> str:
    """Gather at positions that a Range computes up to a computed length."""
    size = made.put("Gather", made.shape(), made.number(0))
    limit = made.put("Add", size, made.number(len(made.values) - made.first))
    at = made.put("Range", made.number(0), limit, made.number(1))
    return made.put("Gather", made.ints(made.values), at)


def _through_float(made: _Nodes) -> str:
    half = made.constant(_FLOAT, [1], [0.5])
    scaled = made.put("Mul", made.put("Cast", made.size(), to=_FLOAT), half)
    back = made.put("Cast", made.put("Floor", scaled), to=_INT64)
    return made.plus(back, made.first // 2)


def _through_int32(made: _Nodes) -> str:
    size = made.put("Cast", made.size(), to=_INT32)
    moves = [item - made.first for item in made.values]
    return made.put(
        "Cast", made.put("Add", size, made.constant(_INT32, [len(moves)], moves)), to=_INT64
    )


def _if(made: _Nodes) -> str:
    """The branch that is not executed gives other values."""
    from onnx import helper

    def branch(operator: str) -> onnx.GraphProto:
        out = made.own()
        node = helper.make_node(operator, [size, moves], [out])
        return helper.make_graph(
            [node], out, [], [helper.make_tensor_value_info(out, _INT64, [len(made.values)])]
        )

    size, moves = made.size(), made.ints([item - made.first for item in made.values])
    chosen = made.feed(_BOOL, value=False)
    return made.put("If", chosen, then_branch=branch("Sub"), else_branch=branch("Add"))


def _loop(made: _Nodes) -> str:
    """As many iterations as the dimension, each of which adds one."""
    from onnx import helper

    def info(name: str, code: int, dims: list[int] | list[None]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, code, dims)

    one = made.number(1)
    count = made.put("Squeeze", made.size())
    start = made.ints([item - made.first for item in made.values])
    at, go, kept, on, out = (made.own() for _ in range(5))
    rank_one = [len(made.values)]
    body = helper.make_graph(
        [helper.make_node("Identity", [go], [on]), helper.make_node("Add", [kept, one], [out])],
        "body",
        [info(at, _INT64, []), info(go, _BOOL, []), info(kept, _INT64, rank_one)],
        [info(on, _BOOL, []), info(out, _INT64, rank_one)],
    )
    return made.put("Loop", count, "", start, body=body)


def _function(made: _Nodes) -> str:
    from onnx import helper

    opset = next(item for item in made.model.opset_import if not item.domain)
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], end=1),
        helper.make_node("Add", ["s", "d"], ["c"]),
    ]
    function = helper.make_function(_DOMAIN, "moved", ["x", "d"], ["c"], nodes, [opset])
    made.model.functions.append(function)
    made.model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    moves = made.ints([item - made.first for item in made.values])
    return made.put("moved", made.source, moves, domain=_DOMAIN)


def _constant(made: _Nodes) -> str:
    """A constant beside an input with symbolic dimensions, as exporters write a dynamic batch."""
    return made.ints(made.values)


WAYS: Mapping[str, Callable[[_Nodes], str]] = {
    "gather_vector": _gather_vector,
    "gather_scalar": _gather_scalar,
    "gather_negative": _gather_negative,
    "slice": _slice,
    "slice_from_the_back": _slice_from_the_back,
    "shape_with_an_end": _shape_with_an_end,
    "reshape_to_one": _reshape_to_one,
    "concat_with_constants": _concat_with_constants,
    "constants_then_a_dimension": _constants_then_a_dimension,
    "mul_and_div": _mul_and_div,
    "beyond_32_bits": _beyond_32_bits,
    "reduce_prod": _reduce_prod,
    "size": _size,
    "where_equal": _where_equal,
    "constant_of_shape": _constant_of_shape,
    "range": _range,
    "through_float": _through_float,
    "through_int32": _through_int32,
    "if": _if,
    "loop": _loop,
    "function": _function,
    "constant": _constant,
}


def compute(
    model: onnx.ModelProto, name: str, way: str, runs: Sequence[Run]
) -> Mapping[str, Literal]:
    """Change a model in place, so that nodes compute one of its inputs.

    Args:
        model: the model.
        name: the graph input: a vector or scalar of int64, with the same value in each run.
        way: how it is computed.
        runs: the data sets.

    Returns the inputs to feed instead. Raises BadInputError if the model has no such input.
    """
    from onnx import helper

    given = {run.inputs.get(name) for run in runs}
    if len(given) != 1 or not isinstance(value := given.pop(), Literal) or value.values is None:
        raise BadInputError(f"'{name}' is not fed the same values in each run")
    numbers = [item for item in value.values if isinstance(item, int)]
    if len(value.shape) > 1 or not numbers or len(numbers) != len(value.values):
        raise BadInputError(f"'{name}' is no vector of numbers, which nodes could compute")
    made = _Nodes(model, name, tuple(numbers), *_source(model, name, runs))
    _without_input(model, name)
    last = WAYS[way](made)
    if value.shape:
        _rename(made, last, name)
    else:
        made.nodes.append(helper.make_node("Squeeze", [last], [name]))
    own = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*made.nodes, *own])
    return made.fed


def _rename(made: _Nodes, last: str, name: str) -> None:
    """Give the last value the name of the input."""
    for node in made.nodes:
        node.input[:] = [name if item == last else item for item in node.input]
        node.output[:] = [name if item == last else item for item in node.output]
    for tensor in made.model.graph.initializer:
        if tensor.name == last:
            tensor.name = name


def _source(model: onnx.ModelProto, name: str, runs: Sequence[Run]) -> tuple[str, tuple[int, ...]]:
    """The first other input with dimensions, none of them 0, that are the same in each run."""
    for item in model.graph.input:
        fed = [run.inputs.get(item.name) for run in runs]
        dims = {value.shape for value in fed if isinstance(value, Literal)}
        if item.name != name and len(dims) == 1 and (found := dims.pop()) and 0 not in found:
            return item.name, found
    raise BadInputError(f"no input has dimensions of which '{name}' could be computed")


def _without_input(model: onnx.ModelProto, name: str) -> None:
    for index, item in enumerate(model.graph.input):
        if item.name == name:
            del model.graph.input[index]
            return
    raise BadInputError(f"'{name}' is no graph input")
