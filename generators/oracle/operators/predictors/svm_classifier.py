"""SVMClassifier: classes by votes of pairs. Source: its page.

The page lists attributes, most without a word of what they are: coefficients, rho, prob_a, prob_b,
support_vectors, vectors_per_class. They are the fields of a model of LIBSVM, whose documentation
says how they are laid out: for k classes k - 1 rows of coefficients, a column a support vector; the
vectors of a class together; pairs of classes in the order 01, 02, ..., 12, ...; where i < j the
coefficients of the vectors of class i beside class j stand in row j - 1, and those of class j in
row i. The class of a pair is the first where its score is above 0; the one with most votes wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any

from ...accuracy.profiles import IEEE, REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval, point
from ...arith.numbers import NAN, ZERO, Real, from_float, order
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..ml.labels import labels_of
from ..ml.linear import feature_rows
from ..ml.post_transforms import transformed
from ..ml.scaling import DOMAIN, RESULT
from .coupling import LEAST, averaged, coupled, pair_probabilities, pairs_of
from .deciding import decided
from .kernels import Kernel, cut, kernel_of, shifted

Formula = Callable[[Steps], list[Interval]]

_SOFTMAX = ("SOFTMAX", "SOFTMAX_ZERO")


@dataclass(frozen=True)
class Machine:
    """What the attributes say, checked.

    Attributes:
        kernel: how near a row is to a vector.
        vectors: the support vectors, those of a class together.
        counts: how many vectors each class has.
        coefficients: rows of them, one number a vector; without vectors a row a class.
        rho: a number for each pair of classes; without vectors one.
        a, b: the parameters of probabilities, for each pair; empty for none.
        sign: `added` or `subtracted`, what is done with rho.
    """

    kernel: Kernel
    vectors: Sequence[Sequence[Real]]
    counts: Sequence[int]
    coefficients: Sequence[Sequence[Real]]
    rho: Sequence[Real]
    a: Sequence[Real]
    b: Sequence[Real]
    sign: str

    @cached_property
    def starts(self) -> list[int]:
        """The place of the first vector of each class."""
        return [sum(self.counts[:place]) for place in range(len(self.counts))]

    def pair_scores(self, steps: Steps, row: Sequence[Real]) -> list[Interval]:
        """For each pair of classes how far a row is on the side of the first."""
        x = steps.rounded_all(row)
        near = [self.kernel(steps, x, vector) for vector in self.vectors]
        found = []
        for place, (i, j) in enumerate(pairs_of(len(self.counts))):
            mine = range(self.starts[i], self.starts[i] + self.counts[i])
            theirs = range(self.starts[j], self.starts[j] + self.counts[j])
            weights = [self.coefficients[j - 1][item] for item in mine]
            weights += [self.coefficients[i][item] for item in theirs]
            given = [near[item] for item in (*mine, *theirs)]
            total = steps.dot(given, [steps.exactly(item) for item in weights])
            found.append(shifted(steps, total, self.rho[place], self.sign))
        return found

    def class_scores(self, steps: Steps, row: Sequence[Real]) -> list[Interval]:
        """Without support vectors: for each class the sum of the weighted features."""
        x = steps.rounded_all(row)
        return [
            shifted(
                steps,
                steps.dot(x, [steps.exactly(item) for item in weights]),
                self.rho[0],
                self.sign,
            )
            for weights in self.coefficients
        ]


@oracle("SVMClassifier", domain=DOMAIN)
def svm_classifier(call: Call) -> Result:
    """The class that wins most pairs, and scores.

    For N rows of features the outputs are labels (N) and float32 scores (N, number of scores): one
    for each class, or for each pair of classes where there are support vectors and the raw scores
    are read as those of pairs. What kind of score it is, is left open and asked.
    """
    rows = feature_rows(call)
    labels = labels_of(call, "classlabels_strings", "classlabels_ints")
    count = len(labels.items)
    machine = machine_of(call, count)
    transform = call.string_attribute("post_transform")
    if not machine.vectors:
        way = "classes"
    elif machine.a:
        way = "coupled"
        if count > 2:
            way = call.choose("probabilities", "coupled", "averaged")
    else:
        softmax = ["untransformed"] if transform in _SOFTMAX else []
        ways = ("opposite", "as-decided", "alone", *softmax) if count == 2 else ("pairs",)
        way = call.choose("raw-scores", *ways, "votes")
    if way == "untransformed":
        transform = "NONE"
    found: list[Any] = []
    items: list[Item] = []
    for row in rows:
        items += transformed(call, RESULT, _formula(call, machine, row, way), transform)
        found.append(labels.items[_place(call, machine, row, way)])
    width = len(items) // len(rows) if rows else _width(way, count)
    return (Grid(labels.type, (len(rows),), found), Grid(RESULT, (len(rows), width), items))


def _width(way: str, count: int) -> int:
    """How many scores a row has."""
    if way == "pairs":
        return count * (count - 1) // 2
    return 1 if way == "alone" else count


def _formula(call: Call, machine: Machine, row: Sequence[Real], way: str) -> Formula:
    """The scores of a row before the transform."""
    if way == "classes":
        return lambda steps: machine.class_scores(steps, row)
    if way == "votes":
        votes = _votes(call, machine, row)
        return lambda _: [point(vote) for vote in votes]

    def formula(steps: Steps) -> list[Interval]:
        scores = machine.pair_scores(steps, row)
        if way in _PROBABILITIES:
            pairs = pair_probabilities(steps, scores, machine.a, machine.b)
            if way == "coupled" and any(pair.low is NAN for pair in pairs):
                return _beside_nan(call, steps, pairs, len(machine.counts))
            return _PROBABILITIES[way](steps, pairs, len(machine.counts))
        return _FORMS[way](steps, scores)

    return formula


def _beside_nan(call: Call, steps: Steps, pairs: Sequence[Interval], count: int) -> list[Interval]:
    """Probabilities of classes where that of a pair is NaN, of which nothing is said.

    By a formula they are NaN; the iteration by which they are found may end where it began, and
    LIBSVM keeps the probability of a pair away from 0 by a comparison that NaN does not pass.
    """
    reading = call.choose("pair-of-no-number", "no-number", "equal", "least")
    if reading == "equal":
        return [steps.div(1, count)] * count
    if reading == "least":
        pairs = [point(LEAST) if pair.low is NAN else pair for pair in pairs]
    return coupled(steps, pairs, count)


_PROBABILITIES: dict[str, Callable[[Steps, Sequence[Interval], int], list[Interval]]] = {
    "coupled": coupled,
    "averaged": averaged,
}
# Asked of the first pairs whose scores may have either sign; each may go another way.
_EITHER_SIGN = ("either-sign", "either-sign-of-another", "either-sign-of-a-third")
# What stands for the raw scores of pairs; of two classes there is one pair.
_FORMS: dict[str, Callable[[Steps, list[Interval]], list[Interval]]] = {
    "pairs": lambda _, scores: scores,
    "alone": lambda _, scores: scores,
    "opposite": lambda steps, scores: [steps.neg(scores[0]), scores[0]],
    "as-decided": lambda steps, scores: [scores[0], steps.neg(scores[0])],
    "untransformed": lambda steps, scores: [steps.sub(1, scores[0]), scores[0]],
}


def _place(call: Call, machine: Machine, row: Sequence[Real], way: str) -> int:
    """The place of the class of a row."""
    exact = Steps(RESULT, REAL)
    if way == "classes":
        scores = [score.low for score in machine.class_scores(exact, row)]
        return decided(call, scores, scores, machine.class_scores(Steps(RESULT, IEEE), row))
    votes = _votes(call, machine, row)
    if way not in _PROBABILITIES:
        return decided(call, votes, votes)
    found = _formula(call, machine, row, way)(exact)
    return decided(call, votes, [item.low for item in found])


def _votes(call: Call, machine: Machine, row: Sequence[Real]) -> list[Real]:
    """How many pairs each class wins."""
    count = len(machine.counts)
    votes = [0] * count
    scores = machine.pair_scores(Steps(RESULT, REAL), row)
    limits = machine.pair_scores(Steps(RESULT, IEEE), row)
    open_signs = chain(_EITHER_SIGN, repeat(_EITHER_SIGN[-1]))
    for pair, score, either in zip(pairs_of(count), scores, limits, strict=True):
        question = "undecided-pair"
        if score.low is not NAN and score.low != ZERO and ZERO in either:
            question = next(open_signs)
        votes[pair[_winner(call, score.low, question, sure=ZERO not in either)]] += 1
    return list(votes)


def _winner(call: Call, score: Real, question: str, *, sure: bool) -> int:
    """Which of a pair wins: the first with a score above 0, the second with one below.

    A score of which careful software may have either sign, as its terms cancel or overflow,
    decides no more than zero does, and each such pair by itself.
    """
    if score is NAN or not sure:
        return 1 if call.choose(question, "second", "first") == "second" else 0
    return 0 if order(score) > order(ZERO) else 1


def machine_of(call: Call, count: int) -> Machine:
    """What the attributes say for so many classes; InvalidCallError where lengths disagree."""
    width = call.tensor("X").shape[-1]
    names = ("coefficients", "support_vectors", "rho", "prob_a", "prob_b")
    given = {name: [from_float(x) for x in call.floats_attribute(name, ())] for name in names}
    counts = call.ints_attribute("vectors_per_class", ())
    kernel = kernel_of(call)
    if not given["coefficients"]:
        raise InvalidCallError("there are no coefficients")
    if not counts and not given["support_vectors"]:
        refuse_if_chosen(call, "without-supports", "linear-model")
        coefficients = cut(given["coefficients"], width)
        lengths = {"coefficients": (len(coefficients), count), "rho": (len(given["rho"]), 1)}
        vectors: list[Sequence[Real]] = []
    else:
        vectors = cut(given["support_vectors"], width)
        coefficients = cut(given["coefficients"], len(vectors))
        pairs = count * (count - 1) // 2
        lengths = {
            "vectors_per_class": (len(counts), count),
            "support_vectors": (len(vectors), sum(counts)),
            "coefficients": (len(coefficients), count - 1),
            "rho": (len(given["rho"]), pairs),
            "prob_a": (len(given["prob_a"]), pairs if given["prob_a"] else 0),
        }
    lengths["prob_b"] = len(given["prob_b"]), len(given["prob_a"])
    for name, (found, due) in lengths.items():
        if found != due:
            raise InvalidCallError(f"'{name}' has {found} entries for {count} classes, not {due}")
    if any(item < 0 for item in counts):
        raise InvalidCallError(f"vectors_per_class {list(counts)} has a number below 0")
    sign = "added"
    if any(item != ZERO for item in given["rho"]):
        sign = call.choose("sign-of-rho", "added", "subtracted")
    rest = given["rho"], given["prob_a"], given["prob_b"]
    return Machine(kernel, vectors, counts, coefficients, *rest, sign)
