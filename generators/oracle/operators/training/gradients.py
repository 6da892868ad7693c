"""Gradient 1 of ai.onnx.preview.training. Source: its page, Summary, Inputs and Attributes.

The node names a part of the graph that it stands in; the call has that part as a `Program`. It is
run on numbers that carry a derivative (duals.py), once for each element of each tensor of `xs`, so
that what comes out is exact. Only what has an exact derivative can be answered: the four kinds of
arithmetic, roots of squares, elementary functions where they are rational, and what moves elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from onnx_conformance.core.errors import BadInputError

from ...arith.grid import (
    Grid,
    combine,
    grid_of,
    normalize_axes,
    reduce_groups,
    reduced_shape,
    tensor_of,
)
from ...arith.rationals import Fraction
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import Call, Result, compute, oracle
from ...subgraph import Program, Step
from . import duals

Values = dict[str, Grid]

TRAINING = "ai.onnx.preview.training"
PROGRAM = "program"
# Operators that move the elements of their first input, and do nothing else.
_MOVING = ("Identity", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Slice")


@oracle("Gradient", TRAINING)
def gradient(call: Call) -> Result:
    """The derivative of `y` by each tensor of `xs`, where they and `zs` have the inputs' values."""
    given = call.inputs.get("Inputs", ())
    if not isinstance(given, tuple):
        raise TypeError("input 'Inputs' is variadic")
    return tuple(_gradients(dict(call.attributes), list(call.grids("Inputs")), 1, call))


def _gradients(
    attributes: Mapping[str, Any], values: Sequence[Grid], level: int, call: Call
) -> list[Grid]:
    """The derivatives at some values, which may carry those of lower levels themselves."""
    xs, zs = (_names(attributes.get(name, ())) for name in ("xs", "zs"))
    (target,) = _names((attributes["y"],))
    program = attributes[PROGRAM]
    if not isinstance(program, Program):
        raise BadInputError("a node of Gradient without a graph around it")
    if len(values) != len(xs) + len(zs):
        raise InvalidCallError(f"{len(values)} inputs for {len(xs)} xs and {len(zs)} zs")
    known = dict(zip((*xs, *zs), values, strict=True))
    for name in xs:
        if not is_float(known[name].type):
            raise InvalidCallError(f"'{name}' has element type {known[name].type}")
    return [_by(known, name, program, target, level, call) for name in xs]


def _by(  # noqa: PLR0913, PLR0917  what is differentiated, by what, and where
    known: Values, name: str, program: Program, target: str, level: int, call: Call
) -> Grid:
    """The derivative by each element of one tensor."""
    x = known[name]
    slopes = []
    for place, item in enumerate(x.items):
        items = list(x.items)
        items[place] = duals.Dual(level, item, Fraction(1))
        moved = {**known, name: Grid(x.type, x.shape, items)}
        y = _run(program, moved, level, call)[target]
        if y.shape and call.choose("y-is-no-scalar", "sum", "rejected") == "rejected":
            raise InvalidCallError(f"'{target}' has shape {list(y.shape)}")
        slopes.append(_total(duals.parts(one, level)[1] for one in y.items))
    return Grid(x.type, x.shape, slopes)


def _run(program: Program, given: Values, level: int, call: Call) -> Values:
    """All values of a program."""
    values = {name: grid_of(tensor) for name, tensor in program.constants}
    values.update(given)
    for step in program.steps:
        inputs = [values[name] for name in step.inputs if name]
        results = _applied(step, inputs, level, call)
        values.update(zip(step.outputs, results, strict=False))
    return values


def _applied(step: Step, inputs: Sequence[Grid], level: int, call: Call) -> list[Grid]:
    """The outputs of one node."""
    attributes = dict(step.attributes)
    if step.domain == TRAINING and step.operator == "Gradient":
        return _gradients(attributes, inputs, level + 1, call)
    if not step.domain:
        if step.operator in _MOVING:
            return [_moved(step, attributes, inputs)]
        if step.operator in duals.FUNCTIONS:
            return [_each(inputs[0], lambda x: duals.function(step.operator, x))]
        if step.operator in _RULES:
            return [_RULES[step.operator](inputs, attributes)]
    raise BadInputError(f"the derivative of {step.operator}-{step.since_version} is not known")


def _moved(step: Step, attributes: Mapping[str, Any], inputs: Sequence[Grid]) -> Grid:
    """The operator applied to the places of its first input, which says where elements go."""
    first = inputs[0]
    taken = Grid("int64", first.shape, range(len(first.items)))
    tensors = [tensor_of(grid) for grid in (taken, *inputs[1:])]
    given = zip(step.parameters, step.inputs, strict=False)
    named = dict(zip((name for name, own in given if own), tensors, strict=True))
    (result,) = compute(Call(step.since_version, attributes, named, step.operator))
    places = result if isinstance(result, Grid) else grid_of(result)  # type: ignore[arg-type]
    return first.take(places.items, places.shape)


def _each(grid: Grid, function: Callable[[Any], Any]) -> Grid:
    return Grid(grid.type, grid.shape, [function(item) for item in grid.items])


def _sum(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    total = inputs[0]
    for other in inputs[1:]:
        total = combine(total.type, duals.plus, total, other)  # type: ignore[arg-type]
    return total


def _difference(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    return _sum((inputs[0], _each(inputs[1], duals.minus)), {})


def _product(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    return combine(inputs[0].type, duals.times, *inputs)  # type: ignore[arg-type]


def _quotient(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    return _product((inputs[0], _each(inputs[1], duals.inverse)), {})


def _power(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    """Powers by whole numbers that nothing is differentiated by."""

    def element(base: Any, exponent: Any) -> Any:  # noqa: ANN401  numbers
        if isinstance(exponent, duals.Dual) or Fraction(exponent).denominator != 1:
            raise BadInputError("a power by no whole number has no exact derivative")
        return duals.power(base, int(exponent))

    return combine(inputs[0].type, element, *inputs)


def _relu(x: Any) -> Any:  # noqa: ANN401  a number
    return duals.times(Fraction(int(_is_above(x))), x)


def _absolute(x: Any) -> Any:  # noqa: ANN401  a number
    return x if _is_above(x) else duals.minus(x)


def _is_above(x: Any) -> bool:  # noqa: ANN401  a number
    if not duals.value_of(x):
        raise BadInputError("at zero there is a bend, and no derivative")
    return duals.value_of(x) > 0


def _matrix_product(inputs: Sequence[Grid], _attributes: Mapping[str, Any]) -> Grid:
    """Of matrices, and of vectors as their page has it."""
    a, b = inputs
    if not 1 <= a.rank <= 2 or not 1 <= b.rank <= 2:
        raise BadInputError("only products of matrices and vectors are differentiated")
    left = a if a.rank == 2 else a.reshaped((1, *a.shape))
    right = b if b.rank == 2 else b.reshaped((*b.shape, 1))
    (rows, inner), columns = left.shape, right.shape[1]
    if right.shape[0] != inner:
        raise InvalidCallError(f"shapes {list(a.shape)} and {list(b.shape)} have no product")
    items = [
        _total(
            duals.times(left.items[row * inner + at], right.items[at * columns + column])
            for at in range(inner)
        )
        for row in range(rows)
        for column in range(columns)
    ]
    return Grid(a.type, (*a.shape[:-1], *b.shape[1:]), items)


def _reduced(inputs: Sequence[Grid], attributes: Mapping[str, Any]) -> Grid:
    """Sums over axes; all of them without `axes`."""
    data = inputs[0]
    listed = inputs[1].items if len(inputs) > 1 else attributes.get("axes", ())
    axes = normalize_axes([int(item) for item in listed] or range(data.rank), data.rank)
    groups = reduce_groups(data.shape, axes)
    items = [_total(data.items[place] for place in group) for group in groups]
    keep = attributes.get("keepdims", 1) != 0
    return Grid(data.type, reduced_shape(data.shape, axes, keep=keep), items)


def _averaged(inputs: Sequence[Grid], attributes: Mapping[str, Any]) -> Grid:
    """Means over axes."""
    total = _reduced(inputs, attributes)
    share = Fraction(len(total.items), len(inputs[0].items))
    return _each(total, lambda x: duals.times(share, x))


def _total(numbers: Iterable[duals.Slope]) -> duals.Slope:
    total: duals.Slope = Fraction(0)
    for number in numbers:
        total = duals.plus(total, number)
    return total


def _names(value: Any) -> tuple[str, ...]:  # noqa: ANN401  texts or bytes
    return tuple(item.decode() if isinstance(item, bytes) else str(item) for item in value)


_RULES: Mapping[str, Callable[[Sequence[Grid], Mapping[str, Any]], Grid]] = {
    "Add": _sum,
    "Sum": _sum,
    "Sub": _difference,
    "Mul": _product,
    "Div": _quotient,
    "Pow": _power,
    "Neg": lambda inputs, _: _each(inputs[0], duals.minus),
    "Reciprocal": lambda inputs, _: _each(inputs[0], duals.inverse),
    "Relu": lambda inputs, _: _each(inputs[0], _relu),
    "Abs": lambda inputs, _: _each(inputs[0], _absolute),
    "MatMul": _matrix_product,
    "ReduceSum": _reduced,
    "ReduceMean": _averaged,
}
