"""What a wrapped oracle says of each call: which of the changes make a difference to its answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from time import process_time
from typing import Any

from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError

from ..deadlines import TookTooLongError

Numbers = tuple[int, ...]
# What works an expression out: the original, or what is there after a change.
Way = Callable[[], Any]

PART, WHOLE, TEST, TRUTH, REACHED = (
    "__part__",
    "__whole__",
    "__test__",
    "__truth__",
    "__reached__",
)
# How often an expression is worked out twice to see that this gives the same.
_PROVEN = 3
_DEEPEST = 12
_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))
_DRAWN_FROM: tuple[type, ...] = (zip, enumerate, reversed, *_ITERATORS)
_PLAIN = (int, bool, str, bytes, type(None), Fraction, range, frozenset, set)


class Recorder:
    """What the wrapped modules of an operator call.

    Attributes:
        different: numbers of the changes that have made a difference since `begin`.
        reached: numbers of those whose place was ever reached.
        spoiled: whether since `begin` an expression was worked out twice that must not be: it
            changed something, so that the run says nothing. It will not be again.
    """

    def __init__(self) -> None:
        """Nothing is noted until something begins."""
        self.different: set[int] = set()
        self.reached: set[int] = set()
        self.spoiled = False
        self._possible: set[int] = set()
        self._active: set[int] = set()
        # Places by the first of their numbers, how many there are, and whether they are no whole.
        self._impure: set[tuple[int, int, bool]] = set()
        self._proven: dict[tuple[int, int, bool], int] = {}
        self._quiet = 1
        self._left = 0.0

    def begin(self, seconds: float) -> None:
        """Note what makes a difference from here on; `seconds` are for what would be otherwise."""
        self._left = seconds
        self.different = set()
        self._possible, self._active = set(), set()
        self.spoiled = False
        self._quiet = 0

    def end(self) -> None:
        """Note nothing any more."""
        self._quiet = 1

    @property
    def quiet(self) -> bool:
        """Whether nothing is noted: before it begins, and while is worked out what would be."""
        return bool(self._quiet)

    def part(self, numbers: Numbers, original: Way, raw: Way, *others: Way) -> Any:  # noqa: ANN401
        """The value of an expression; notes which of the others have another one."""
        outcome = _outcome(original)
        if not self._quiet:
            self._compare(numbers, numbers, outcome, (raw, *others), self._noted(numbers))
        return outcome.given()

    def whole(self, numbers: Numbers, original: Way, raw: Way, *others: Way) -> Any:  # noqa: ANN401
        """The value of an expression; of its parts that have another, those that change it."""
        if self._quiet:
            return original()
        mine = set(numbers)
        outside = self._possible & mine  # this very expression, further out
        self._possible -= mine
        begun = mine - self._active
        self._active |= begun
        outcome = _outcome(original)
        self._active -= begun
        asked = (self._possible & mine) - self.different
        self._possible = (self._possible - mine) | outside
        if asked:
            self._compare(numbers, asked, outcome, (raw, *others), self.different)
        return outcome.given()

    def test(self, numbers: Numbers, original: Way, raw: Way, *others: Way) -> Any:  # noqa: ANN401
        """The same of an expression of which no more matters than whether it holds."""
        truths = [_truth_of(item) for item in (original, raw, *others)]
        return self.whole(numbers, *truths)

    def truth(self, if_true: Numbers, if_false: Numbers, condition: Way) -> Any:  # noqa: ANN401  whatever the condition gives
        """A condition; notes the changes that make a difference where it holds, or does not."""
        outcome = _outcome(condition)
        if not self._quiet:
            noted = self._noted((*if_true, *if_false))
            self.reached.update(if_true, if_false)
            if outcome.error is not None:
                noted.update(if_true, if_false)
            else:
                noted.update(if_true if outcome.value else if_false)
        return outcome.given()

    def _noted(self, numbers: Numbers) -> set[int]:
        """Where a difference is noted: of a part of a whole that is at work, as a possible one."""
        return self._possible if numbers[0] in self._active else self.different

    def _compare(
        self,
        numbers: Numbers,
        asked: Collection[int],
        outcome: _Outcome,
        ways: Sequence[Way],
        noted: set[int],
    ) -> None:
        """Note which of those that are asked for give something else than an expression did.

        `ways` has the expression itself, and what is there for each of the numbers.
        """
        if noted.issuperset(asked) or self.different.issuperset(asked):
            return
        self.reached.update(asked)
        place = numbers[0], len(numbers), asked is numbers
        if self._left <= 0 or place in self._impure:
            noted.update(asked)
            return
        self._quiet = 1
        begun = process_time()
        try:
            self._prove(place, outcome, ways[0])
            for number, other in zip(numbers, ways[1:], strict=True):
                if number not in asked or number in noted or number in self.different:
                    continue
                if not _gives(other, outcome):
                    noted.add(number)
        except TookTooLongError:
            self._impure.add(place)
            self.spoiled = True
            raise
        finally:
            self._quiet = 0
            self._left -= process_time() - begun

    def here(self, numbers: Numbers) -> None:
        """Changes that make a difference wherever they are reached."""
        if not self._quiet:
            self.reached.update(numbers)
            self.different.update(numbers)

    def _prove(self, place: tuple[int, int, bool], outcome: _Outcome, raw: Way) -> None:
        """See that an expression gives the same when it is worked out again."""
        times = self._proven.get(place, 0)
        if times < _PROVEN:
            self._proven[place] = times + 1
            if not _gives(raw, outcome):
                self._impure.add(place)
                self.spoiled = True


class CachedApart:
    """A function that remembers, with a memory of its own for what is asked while nothing is noted.

    What a change would ask is worked out unnoted. Were it remembered for the call itself, nothing
    would be noted there, as if no change in the function made a difference.
    """

    def __init__(self, cached: Any, recorder: Recorder) -> None:  # noqa: ANN401  of `lru_cache`
        """Take the place of what `functools.lru_cache` made."""
        self._recorder = recorder
        self.__wrapped__ = cached.__wrapped__
        remembering = lru_cache(**cached.cache_parameters())
        self._noted, self._unnoted = (remembering(self.__wrapped__) for _ in range(2))

    def __call__(self, *values: Any, **named: Any) -> Any:  # noqa: ANN401  what the function takes
        """What the function gives."""
        remembering = self._unnoted if self._recorder.quiet else self._noted
        return remembering(*values, **named)

    def cache_clear(self) -> None:
        """Forget what was given."""
        self._noted.cache_clear()
        self._unnoted.cache_clear()


@dataclass(frozen=True)
class _Outcome:
    """What working out an expression came to: a value, or an error."""

    value: Any
    error: BaseException | None = None

    def given(self) -> Any:  # noqa: ANN401  whatever the expression gives
        if self.error is not None:
            raise self.error
        return self.value


def _outcome(expression: Way) -> _Outcome:
    try:
        return _Outcome(expression())
    except TookTooLongError:
        raise
    except Exception as error:
        return _Outcome(None, error)


def _truth_of(expression: Way) -> Callable[[], bool]:
    return lambda: bool(expression())


def _gives(expression: Way, outcome: _Outcome) -> bool:
    """Whether an expression comes to the same."""
    found = _outcome(expression)
    if found.error is None or outcome.error is None:
        return found.error is outcome.error and _same(found.value, outcome.value, _DEEPEST)
    if type(found.error) is not type(outcome.error):
        return False
    # Why a call is refused matters to nobody.
    return isinstance(found.error, InvalidCallError) or (
        (repr(found.error.args), repr(vars(found.error)))
        == (repr(outcome.error.args), repr(vars(outcome.error)))
    )


def _same(one: Any, other: Any, depth: int) -> bool:  # noqa: ANN401  any values
    """Whether two values are the same to whoever uses them; no where that is hard to say."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other) or not depth:
        return False
    if kind in _PLAIN:
        return bool(one == other)
    if kind is float:
        return repr(one) == repr(other)
    first, second = _parts_of(one), _parts_of(other)
    if first is None or second is None or len(first) != len(second):
        return False
    return all(_same(item, beside, depth - 1) for item, beside in zip(first, second, strict=True))


def _left_in(value: Any) -> int | None:  # noqa: ANN401  any value
    """How many items an iterator has left; another number each time where nobody knows."""
    return value.__length_hint__() if hasattr(value, "__length_hint__") else id(value)


def _parts_of(value: Any) -> Sequence[Any] | None:  # noqa: ANN401  any value
    """What a value is made of and nothing else; None where nobody knows."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, _DRAWN_FROM):
        # What is left in it, and of what; nothing is taken out.
        reduced: Any = value.__reduce__()
        left = {_left_in(item) for item in reduced[1]}
        # Whether all must be of one length matters where they are not.
        parts: Sequence[Any] = reduced[1] if isinstance(value, zip) and len(left) == 1 else reduced
        return parts
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, item.name) for item in fields(value)]
    return None


def names_of(recorder: Recorder) -> dict[str, Any]:
    """What a wrapped module calls, by the names that it does so by."""
    return {
        PART: recorder.part,
        WHOLE: recorder.whole,
        TEST: recorder.test,
        TRUTH: recorder.truth,
        REACHED: recorder.here,
    }
