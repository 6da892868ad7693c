"""Adagrad, Adam and Momentum 1 of ai.onnx.preview.training, by the pseudo code of their pages.

A call has the learning rate R, the update count T, and the tensors: the values of all, then their
gradients, then what is accumulated for each. What a tensor becomes depends on nothing of the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...accuracy.bounds import enclosed
from ...accuracy.steps import Steps
from ...arith.grid import Grid, broadcast, broadcast_shape
from ...arith.intervals import Interval, hull
from ...arith.numbers import Real, Special, fraction, from_float
from ...arith.once import each_row_once
from ...arith.rationals import Fraction
from ...arith.rounding import unit_roundoff
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

# Of the elements at one place, by their names on the page, the element of an output.
Formula = Callable[[Steps, Mapping[str, Interval]], Interval]

TRAINING = "ai.onnx.preview.training"
ATTRIBUTES = "float32"
# Powers up to this one are computed as products; those beyond it by exp and log.
_PRODUCTS = 64
_NEARLY_NOTHING = Fraction(1, 1 << 150)


@dataclass(frozen=True)
class Output:
    """What a tensor or its accumulated values become.

    Attributes:
        needs: the names of what the formula takes, of which the result has the common shape.
        formula: gives an element.
    """

    needs: str
    formula: Formula


@oracle("Adagrad", TRAINING)
def adagrad(call: Call) -> Result:
    """Steps that shrink with the sum of the squared gradients.

    The inputs after R (rate) and T (number of updates) are all X, then their gradients G, then
    their sums of squares H, each of one shape; the outputs are the new X, then the new H.
    `norm_coefficient` adds a part of X to G. Refused: tensors that are not three of each, types
    that differ, shapes that do not broadcast.
    """
    norm, decay, epsilon = _numbers(call, "norm_coefficient", "decay_factor", "epsilon")
    narrow = _narrower(call)

    def squares(s: Steps, at: Mapping[str, Interval]) -> Interval:
        return s.add(at["H"], s.square(_regularized(s, norm, at)))

    def value(s: Steps, at: Mapping[str, Interval]) -> Interval:
        f, n = _as_attributes(s), narrow(s)
        slower = f.add(1, f.mul(f.rounded(at["T"]), f.exactly(decay)))
        rate = n.div(n.rounded(at["R"]), slower)
        divisor = s.add(s.sqrt(squares(s, at)), s.rounded(s.exactly(epsilon)))
        return s.sub(at["X"], _quotient(s, rate, _regularized(s, norm, at), divisor))

    return _updated(call, "XGH", (Output("RTXGH", value), Output("XGH", squares)))


@oracle("Adam", TRAINING)
def adam(call: Call) -> Result:
    """Steps along a running mean of the gradients, over the root of that of their squares."""
    alpha, beta, epsilon = _numbers(call, "alpha", "beta", "epsilon")
    norm, post = _numbers(call, "norm_coefficient", "norm_coefficient_post")
    narrow = _narrower(call)

    def mean(s: Steps, at: Mapping[str, Interval]) -> Interval:
        kept, rest = s.exactly(alpha), _rest(s, alpha)
        return s.add(s.mul(kept, at["V"]), s.mul(rest, _regularized(s, norm, at)))

    def squares(s: Steps, at: Mapping[str, Interval]) -> Interval:
        kept, rest = s.exactly(beta), _rest(s, beta)
        g = _regularized(s, norm, at)
        # A product of three, from the left or with the square first.
        new = hull(s.mul(rest, s.square(g)), s.mul(s.mul(rest, g), g))
        return s.add(s.mul(kept, at["H"]), new)

    def value(s: Steps, at: Mapping[str, Interval]) -> Interval:
        f, n = _as_attributes(s), narrow(s)
        rate = n.rounded(at["R"])
        if fraction(at["T"].low) > 0:
            root = f.sqrt(f.sub(1, _power(f, beta, at["T"])))
            rate = _quotient(n, rate, root, f.sub(1, _power(f, alpha, at["T"])))
        divisor = s.add(s.sqrt(squares(s, at)), s.rounded(s.exactly(epsilon)))
        new = s.sub(at["X"], _quotient(s, rate, mean(s, at), divisor))
        return s.mul(_rest(s, post), new)

    outputs = (Output("RTXGVH", value), Output("XGV", mean), Output("XGH", squares))
    return _updated(call, "XGVH", outputs)


@oracle("Momentum", TRAINING)
def momentum(call: Call) -> Result:
    """Steps along a decaying sum of the gradients; Nesterov's looks ahead along it."""
    alpha, beta, norm = _numbers(call, "alpha", "beta", "norm_coefficient")
    mode = word(call, "mode", ("standard", "nesterov"))

    def sums(s: Steps, at: Mapping[str, Interval]) -> Interval:
        g = _regularized(s, norm, at)
        new = s.mul(s.exactly(beta), g) if fraction(at["T"].low) > 0 else g
        return s.add(s.mul(s.exactly(alpha), at["V"]), new)

    def value(s: Steps, at: Mapping[str, Interval]) -> Interval:
        way = sums(s, at)
        if mode == "nesterov":
            way = s.add(_regularized(s, norm, at), s.mul(s.exactly(alpha), way))
        return s.sub(at["X"], s.mul(s.rounded(at["R"]), way))

    return _updated(call, "XGV", (Output("RTXGV", value), Output("TXGV", sums)))


def _updated(call: Call, names: str, outputs: Sequence[Output]) -> Result:
    """The new values of all tensors, then each kind of accumulated values of all.

    Args:
        call: the call.
        names: what there is of each tensor, by its names on the page, in the order of the inputs.
        outputs: what comes out of each, in the order of the outputs.
    """
    grids = call.grids("inputs")
    count, rest = divmod(len(grids), len(names))
    if rest or not count:
        raise InvalidCallError(f"{len(grids)} tensors are not {len(names)} for each that is moved")
    scalars = {name: call.grid(name) for name in "RT"}
    groups = [dict(zip(names, grids[place::count], strict=True)) for place in range(count)]
    for group in groups:
        if len({grid.type for grid in group.values()}) > 1:
            raise InvalidCallError("a tensor has another type than its gradient or what it gathers")
        # What no reading permits comes before what some do.
        broadcast_shape(*(grid.shape for grid in (*scalars.values(), *group.values())))
    if any(grid.shape for grid in scalars.values()):
        refuse_if_chosen(call, "rate-or-count-is-no-scalar", "broadcast")
    if any(len({grid.shape for grid in group.values()}) > 1 for group in groups):
        refuse_if_chosen(call, "shapes-differ", "broadcast")
    return tuple(_computed(output, {**scalars, **group}) for output in outputs for group in groups)


def _computed(output: Output, given: Mapping[str, Grid]) -> Grid:
    """An output of one tensor, element by element."""
    name = given["X"].type
    taken = broadcast(*(given[need] for need in output.needs))

    def formula(s: Steps, *points: Interval) -> Interval:
        return output.formula(s, dict(zip(output.needs, points, strict=True)))

    columns = zip(*(grid.items for grid in taken), strict=True)
    items = each_row_once(lambda column: enclosed(name, formula, *column), columns)
    return Grid(name, taken[0].shape, items)


def _regularized(s: Steps, norm: Real, at: Mapping[str, Interval]) -> Interval:
    """The gradient with a part of the value."""
    return s.add(s.mul(s.exactly(norm), at["X"]), at["G"])


def _quotient(s: Steps, x: Interval, y: Interval, divisor: Interval) -> Interval:
    """The value of x * y / divisor, multiplied or divided first."""
    return hull(s.div(s.mul(x, y), divisor), s.mul(x, s.div(y, divisor)))


def _power(s: Steps, base: Real, count: Interval) -> Interval:
    """A number to the power of a count above zero."""
    times = int(fraction(count.low))
    given = s.exactly(base)
    if times <= _PRODUCTS or isinstance(base, Special) or base == 0:
        return s.pow(given, times)
    # A point would be multiplied out: an exponent that is hardly one goes by exp and log.
    exponent = Interval(times * (1 - _NEARLY_NOTHING), Fraction(times))
    size = s.pow(s.absolute(given), hull(exponent, s.rounded(count)))
    return s.neg(size) if fraction(base) < 0 and times % 2 else size


def _rest(s: Steps, part: Real) -> Interval:
    """What an attribute leaves of 1."""
    f = _as_attributes(s)
    return f.sub(1, f.exactly(part))


def _as_attributes(s: Steps) -> Steps:
    """Steps in the type of attributes: what is made of them alone may be computed in it."""
    return s if s.name == ATTRIBUTES else s.in_type(ATTRIBUTES)


def _narrower(call: Call) -> Callable[[Steps], Steps]:
    """Steps in the type of the learning rate, where that is narrower than that of the tensors.

    Factors of the learning rate may be computed in its type before they meet a tensor.
    """
    own = call.grid("R").type

    def narrow(s: Steps) -> Steps:
        if unit_roundoff(own) <= unit_roundoff(s.name):
            return s
        return s.in_type(own)

    return narrow


def _numbers(call: Call, *names: str) -> list[Real]:
    """Attributes that are numbers."""
    return [from_float(call.float_attribute(name)) for name in names]
