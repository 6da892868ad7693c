"""SVMRegressor: a sum of kernels with support vectors. Source: its page, Summary and Attributes.

The page has no formula. The attributes are fields of a model of LIBSVM, whose decision function is
the sum of the kernels with each vector by its coefficient, and rho; a one-class model tells by the
sign of it whether a row belongs to the class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval
from ...arith.numbers import NAN, ONE, ZERO, Real, from_float, order
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..ml.linear import feature_rows
from ..ml.post_transforms import transformed
from ..ml.scaling import DOMAIN, RESULT
from .kernels import Kernel, cut, kernel_of, shifted


@dataclass(frozen=True)
class Machine:
    """What the attributes say, checked.

    Attributes:
        kernel: how near a row is to a vector.
        vectors: the support vectors; none for a model that weighs the features themselves.
        coefficients: a number for each vector; without vectors for each feature.
        rho: what is added or subtracted.
        sign: `added` or `subtracted`.
    """

    kernel: Kernel
    vectors: Sequence[Sequence[Real]]
    coefficients: Sequence[Real]
    rho: Real
    sign: str

    def score(self, steps: Steps, row: Sequence[Real]) -> Interval:
        """The decision function of a row."""
        x = steps.rounded_all(row)
        near = [self.kernel(steps, x, vector) for vector in self.vectors] or x
        total = steps.dot(near, [steps.exactly(item) for item in self.coefficients])
        return shifted(steps, total, self.rho, self.sign)


@oracle("SVMRegressor", domain=DOMAIN)
def svm_regressor(call: Call) -> Result:
    """For each row the decision function, or on which side of the one class it is."""
    rows = feature_rows(call)
    machine = _machine(call)
    transform = call.string_attribute("post_transform")
    one_class = call.int_attribute("one_class") != 0
    by_sign = one_class and call.choose("one-class", "side", "score") == "side"
    items: list[Item] = []
    for row in rows:
        if by_sign:
            items.append(_side(call, machine.score(Steps(RESULT, REAL), row).low))
        else:
            items += transformed(call, RESULT, _formula(machine, row), transform)
    return (Grid(RESULT, (len(rows), 1), items),)


def _formula(machine: Machine, row: Sequence[Real]) -> Callable[[Steps], list[Interval]]:
    return lambda steps: [machine.score(steps, row)]


def _machine(call: Call) -> Machine:
    """What the attributes say; InvalidCallError where their lengths disagree."""
    width = call.tensor("X").shape[-1]
    names = ("coefficients", "support_vectors", "rho")
    given = {name: [from_float(x) for x in call.floats_attribute(name, ())] for name in names}
    kernel = kernel_of(call)
    count = call.int_attribute("n_supports")
    if count < 0:
        refuse_if_chosen(call, "negative-supports", "linear-model")
        given["support_vectors"], count = [], 0
    vectors = cut(given["support_vectors"], width)
    lengths = {
        "support_vectors": (len(vectors), count),
        "coefficients": (len(given["coefficients"]), count or width),
        "rho": (len(given["rho"]), 1),
    }
    for name, (found, due) in lengths.items():
        if found != due:
            raise InvalidCallError(f"'{name}' has {found} entries, not {due}")
    if not count:
        refuse_if_chosen(call, "without-supports", "linear-model")
    (rho,) = given["rho"]
    sign = "added" if rho == ZERO else call.choose("sign-of-rho", "added", "subtracted")
    return Machine(kernel, vectors, given["coefficients"], rho, sign)


def _side(call: Call, score: Real) -> Item:
    """1 for what belongs to the one class, -1 for what does not."""
    if score is NAN or score == ZERO:
        return ONE if call.choose("undecided", "outside", "inside") == "inside" else -ONE
    return ONE if order(score) > order(ZERO) else -ONE
