"""Elements with the limits that a result must keep: one function a rule.

| rule             | for                                                                     |
|------------------|-------------------------------------------------------------------------|
| `rounded`        | add, subtract, multiply, divide, casts: correctly rounded               |
| `rounded_sqrt`   | the square root                                                         |
| `function_value` | exp, log, sin and their like: OpenCL's ulps of the exact value          |
| `power_value`    | pow                                                                     |
| `within_ulps`    | any exact value with a limit in ulps                                    |
| `dot_bound`      | sums and sums of products: an error for each rounding of a term         |
| `enclosed`       | a formula of such steps, evaluated in intervals (steps.py)              |

Each returns an element of a Grid: the number itself if both profiles accept only that, else
`Enclosed`. limits.py makes tensors of them. The rules share their treatment of zeros, infinities
and flushed subnormals, and stay in one module (of more than 400 lines) so that it is decided once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from ..arith import elementary
from ..arith.elementary import Enclosure
from ..arith.grid import AnyOf, Enclosed, Item
from ..arith.intervals import Interval, hull
from ..arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Number,
    Real,
    Special,
    fraction,
    is_infinite,
    is_nan,
    is_zero,
    real,
)
from ..arith.once import each_once
from ..arith.rationals import Fraction
from ..arith.rounding import Rounding, greatest, least_subnormal, round_to, unit_roundoff
from ..arith.rules import Rule, rule
from .ends import Ends, around, is_any_number, item_of, joined, joined_gpu, perhaps_flushed
from .profiles import (
    GPU,
    HALF,
    IEEE,
    PROFILES,
    REAL,
    accumulated_error,
    accumulator,
    gpu_ulps,
    moved,
)
from .remembering import Remembering
from .roots import sqrt
from .steps import Steps

Formula = Callable[..., Interval]
Formulas = Callable[[Steps], Sequence[Interval]]


# --- single operations -----------------------------------------------------------------------


def rounded(name: str, function: Callable[..., Number], *inputs: Real, step: str = "") -> Item:
    """A function whose exact result is rounded once.

    In profile gpu subnormal inputs and results may be flushed to zero; `step` may say that it is a
    `div` or a `sqrt`, which may have errors there.

    Args:
        name: the type of the result, and of the inputs.
        function: gives the exact result, e.g. numbers.add.
        inputs: its arguments.
        step: `div`, `sqrt` or empty.
    """
    exact = real(function(*inputs))
    value = real(round_to(name, exact))
    if is_nan(value):
        return value
    results = [real(function(*taken)) for taken in perhaps_flushed(name, inputs)]
    found = gpu_ulps(step, name)
    if found == HALF:
        ends = [(real(round_to(name, result)),) * 2 for result in results]
    else:
        ends = [around(name, result, found) for result in results]
    why = rule("rounded", gpu_ulps=None if found == HALF else found)
    return item_of(value, (value, value), joined_gpu(name, value, ends), why)


def rounded_sqrt(name: str, x: Real) -> Item:
    """The square root, correctly rounded; 3 ulp in profile gpu."""
    # Rounded to far more bits first, so that an error in ulps starts from an exact value.
    return rounded(name, lambda taken: _fine_sqrt(name, taken), x, step="sqrt")


def _fine_sqrt(name: str, x: Real) -> Real:
    if isinstance(x, Special) or x <= 0:
        return sqrt(name, x)
    from ..arith.intervals import root

    found = root(x, 256)
    return (fraction(found.low) + fraction(found.high)) / 2


@lru_cache(maxsize=1 << 14)
def function_value(function: str, name: str, x: Real) -> Item:
    """An elementary function at x: a number of ulps around the exact value.

    Args:
        function: one of elementary.FUNCTIONS.
        name: the type of x and of the result.
        x: an element of the type.

    Annex F's exact cases are exact. The limits: elementary.ulps_of and floor_of.
    """
    ulps = elementary.ulps_of(function, name)

    def value_at(taken: Real) -> tuple[Real, Ends]:
        exact = elementary.exact_value(function, taken)
        if exact is not None:
            return exact, (exact, exact)
        found = elementary.resolve(name, lambda bits: elementary.enclosure(function, taken, bits))
        floor = ZERO if is_infinite(taken) else elementary.floor_of(function, name, fraction(taken))
        return found, around(name, found, ulps, floor)

    return _function_item(name, value_at, (x,), rule("function", function=function, ulps=ulps))


@lru_cache(maxsize=1 << 14)
def power_value(name: str, x: Real, y: Real) -> Item:
    """The power x ** y: ulps around the exact value, Annex F's exact cases exact.

    Args:
        name: the type of x and of the result.
        x: the base, an element of the type.
        y: the exponent, an element of any number type.
    """
    ulps = elementary.ulps_of("pow", name)

    def value_at(*taken: Real) -> tuple[Real, Ends]:
        exact = elementary.exact_power(*taken)
        if exact is not None:
            return exact, (exact, exact)
        base, exponent = fraction(taken[0]), fraction(taken[1])
        found = elementary.resolve(
            name, lambda bits: elementary.power_enclosure(base, exponent, bits)
        )
        return found, around(name, found, ulps)

    return _function_item(name, value_at, (x, y), rule("function", function="pow", ulps=ulps))


def _function_item(
    name: str,
    value_at: Callable[..., tuple[Real, Ends]],
    inputs: tuple[Real, ...],
    why: Rule,
) -> Item:
    found, ends = value_at(*inputs)
    value = real(round_to(name, found))
    if is_nan(value):
        return value
    ieee = joined(value, [ends])
    others = [value_at(*taken)[1] for taken in perhaps_flushed(name, inputs)]
    return item_of(found, ieee, joined_gpu(name, value, others), why)


def within_ulps(
    name: str,
    exact: Real | Enclosure,
    ulps: Fraction | int,
    gpu: Fraction | int | None = None,
    floor: Fraction = ZERO,
) -> Item:
    """An exact value with a limit in ulps of it.

    Args:
        name: the type of the result.
        exact: the value, or a narrow enclosure of it. NaN and infinities are exact.
        ulps: the limit in profile ieee.
        gpu: the limit in profile gpu, if it differs.
        floor: the least absolute error that is permitted, in both profiles.
    """
    low, high = (exact.low, exact.high) if isinstance(exact, Enclosure) else (exact, exact)
    if is_nan(low) or is_infinite(low):
        return low
    value = low if low == high else (fraction(low) + fraction(high)) / 2
    ends = [
        (
            moved(name, low, Fraction(limit), Rounding.DOWN, floor),
            moved(name, high, Fraction(limit), Rounding.UP, floor),
        )
        for limit in (ulps, ulps if gpu is None else gpu)
    ]
    nearest = real(round_to(name, value))
    why = rule("ulps", ulps=Fraction(ulps), gpu_ulps=None if gpu is None else Fraction(gpu))
    return item_of(value, joined(nearest, ends[:1]), joined_gpu(name, nearest, ends[1:]), why)


# --- sums and products -----------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)  # of large tensors many sums are equal, and then one object
def dot_bound(  # noqa: PLR0913  three of them have defaults
    name: str,
    exact: Fraction,
    magnitude: Fraction,
    count: int,
    *,
    kept_in: str | None = None,
    largest: Fraction = Fraction(1),
    quantum: Fraction | None = None,
    divisor: int = 1,
) -> Item:
    """A sum, or a sum of products, in any order, with or without fused products.

    Args:
        name: the type of the result.
        exact: the exact sum of finite terms. (If an infinity or a NaN is a term, use the sum by
            numbers.add instead.)
        magnitude: the sum of the absolute terms.
        count: how many terms there are.
        kept_in: the type in which profile ieee keeps the sum: profiles.accumulator(name) unless
            given. Profile gpu keeps it in the type of the result.
        largest: in a sum of products the largest absolute factor.
        quantum: a power of two; every term is a multiple of it. If it is given, profile ieee
            requires the exact sum if no partial sum can round in any order.
        divisor: the sum is divided by it, as for a mean; `exact`, `magnitude` and `quantum` are the
            values after the division. The sum before the division may overflow when they do not.

    A single term has no error except the rounding of the result. If partial sums may overflow, the
    infinity is permitted. A sum that is exactly zero may be either zero.
    """
    nearest = real(round_to(name, exact))
    why = rule("sum", count=count, kept_in=kept_in or accumulator(name), gpu_kept_in=name)
    if magnitude == 0:  # TOSA's set S0: zeros sum to zero; no document gives its sign
        return Enclosed(ZERO, NEG_ZERO, ZERO, NEG_ZERO, ZERO, why)
    sums = kept_in or accumulator(name)
    if quantum is not None and _no_partial_sum_rounds(magnitude * divisor, quantum * divisor, sums):
        # A division may be a product with the rounded reciprocal, if that is not exact.
        error = 3 * unit_roundoff(sums) * abs(exact) if divisor & (divisor - 1) else ZERO
        low = moved(name, exact - error, HALF, Rounding.DOWN)
        high = moved(name, exact + error, HALF, Rounding.UP)
        ends = [(low, high) if exact else (NEG_ZERO, ZERO)]
    else:
        ends = [_sum_ends(name, exact, magnitude, count, IEEE, kept_in, largest, divisor)]
    gpu = _sum_ends(name, exact, magnitude, count, GPU, None, largest, divisor)
    return item_of(exact, joined(nearest, ends), joined_gpu(name, nearest, [gpu]), why)


def _no_partial_sum_rounds(magnitude: Fraction, quantum: Fraction, kept_in: str) -> bool:
    """Whether the type holds every number that can occur up to the sum of the absolute terms."""
    return (
        magnitude <= quantum / unit_roundoff(kept_in)
        and quantum >= least_subnormal(kept_in)
        and magnitude <= greatest(kept_in)
    )


def _sum_ends(  # noqa: PLR0913, PLR0917  the arguments of dot_bound
    name: str,
    exact: Fraction,
    magnitude: Fraction,
    count: int,
    profile: str,
    kept_in: str | None,
    largest: Fraction,
    divisor: int,
) -> Ends:
    sums = kept_in or accumulator(name, profile)
    error = ZERO
    if count > 1 or profile == GPU:
        error = accumulated_error(sums, magnitude, count, profile=profile, largest=largest)
    # A partial sum may be as great as all terms together.
    most = (magnitude + error) * divisor
    over = moved(sums, most, ZERO, Rounding.UP) is INF if count > 1 else False
    low = NEG_INF if over else moved(name, exact - error, HALF, Rounding.DOWN)
    return low, INF if over else moved(name, exact + error, HALF, Rounding.UP)


# --- formulas --------------------------------------------------------------------------------


def enclosed(  # noqa: PLR0913  four of them have defaults
    name: str,
    formula: Formula,
    *inputs: Real,
    alternatives: Sequence[Formula] = (),
    ulps: Fraction | int = 0,
    working: str | None = None,
    nan: bool = True,
) -> Item:
    """A document's formula of elements, with everything that steps with permitted errors can give.

    Args:
        name: the type of the result.
        formula: a function of a Steps and one interval for each input.
        inputs: the elements, of the working type.
        alternatives: other formulas for the same function; the results of each are permitted.
        ulps: this many ulps around the exact value are permitted in any case.
        working: the type of the steps, if it is not that of the result.
        nan: whether NaN is permitted where a step may be NaN; see `enclosed_all`.
    """

    def over(one: Formula) -> Formulas:
        return lambda steps: [one(steps, *(steps.exactly(x) for x in inputs))]

    (item,) = enclosed_all(
        name,
        over(formula),
        alternatives=[over(other) for other in alternatives],
        ulps=ulps,
        working=working,
        nan=nan,
    )
    return item


def enclosed_all(  # noqa: PLR0913  four of them have defaults
    name: str,
    formula: Formulas,
    *,
    alternatives: Sequence[Formulas] = (),
    ulps: Fraction | int = 0,
    working: str | None = None,
    nan: bool = True,
) -> list[Item]:
    """As `enclosed`, for a formula that gives many elements of one kind, such as a softmax.

    `formula` takes a Steps and returns an interval for each element; it makes the intervals of its
    inputs with Steps.exactly. An element may be NaN besides where a step of profile ieee may be,
    but for formulas (`nan` is False) whose intervals reach to NaN where no software does.
    """
    steps_in = working or name
    exact = _resolved(name, lambda bits: formula(Remembering(steps_in, REAL, bits)))
    ways = {
        profile: [one(Remembering(steps_in, profile)) for one in (formula, *alternatives)]
        for profile in PROFILES
    }
    why = rule("formula", steps_in=steps_in, ulps=Fraction(ulps) if ulps else None)
    made: dict[tuple[int, ...], Item] = {}
    items = []
    for value, *found in zip(exact, *ways[IEEE], *ways[GPU], strict=True):
        # Elements that are one object in all evaluations have one result.
        key = tuple(map(id, (value, *found)))
        if key not in made:
            ieee, gpu = hull(*found[: len(ways[IEEE])]), hull(*found[len(ways[IEEE]) :])
            item = _formula_item(name, value, (ieee, gpu), Fraction(ulps), why)
            made[key] = or_nan(item) if nan and ieee.nan else item
        items.append(made[key])
    return items


def or_nan(item: Item) -> Item:
    """An element for which NaN is accepted besides; limits of both infinities accept it anyway."""
    if not isinstance(item, Enclosed):
        return item if item is NAN or isinstance(item, AnyOf) else AnyOf((item, NAN))
    return item if is_any_number(item) else replace(item, or_nan=True)


def _resolved(name: str, formula: Callable[[int], Sequence[Interval]]) -> list[Real]:
    """For each interval a number that rounds as the exact value does; see elementary.resolve."""
    bits = elementary.FIRST_BITS
    while True:
        found = formula(bits)
        different = {id(item): item for item in found}.values()
        if bits >= elementary.LAST_BITS or all(_is_narrow(name, item) for item in different):
            return each_once(_middle, found)
        bits *= 2


def _is_narrow(name: str, x: Interval) -> bool:
    return x.low is NAN or elementary.rounds_to_one(name, x.low, x.high)


def _middle(x: Interval) -> Real:
    if isinstance(x.low, Special) or isinstance(x.high, Special):
        return x.low if isinstance(x.low, Special) else x.high
    return (fraction(x.low) + fraction(x.high)) / 2


def _formula_item(
    name: str, exact: Real, permitted: tuple[Interval, Interval], ulps: Fraction, why: Rule
) -> Item:
    """An element of a formula's result; `permitted` has the intervals of profiles ieee and gpu."""
    if is_nan(exact):
        return NAN
    nearest = real(round_to(name, exact))
    near = around(name, exact, max(ulps, HALF))
    ends = []
    for found in permitted:
        low, high = (nearest, nearest) if found.low is NAN else (found.low, found.high)
        low, high = (
            moved(name, low, HALF, Rounding.DOWN),
            moved(name, high, HALF, Rounding.UP),
        )
        ends.append((_signed(low, NEG_ZERO), _signed(high, ZERO)))
    return item_of(
        exact, joined(nearest, [ends[0], near]), joined_gpu(name, nearest, [ends[1], near]), why
    )


def _signed(end: Real, zero: Real) -> Real:
    """A limit of zero includes both zeros: intervals do not distinguish them."""
    return zero if is_zero(end) else end
