"""Which changes of the code make a difference at the place where they stand, in one run.

A mutant answers a call otherwise only where the expression that it changes gives another value, or
fails, at least once on the way to the answer. So each module is made once more with every
expression that mutants change wrapped: it works out the original, then, for each mutant that has
made no difference yet, what that one has in its place. Where that is something else, the whole
expression of the statement is worked out with it: a default that is not taken, or a condition
among others, may come to the same. One run of the oracle so says of hundreds of mutants that they
need no run of their own on this call.

That takes no longer than it is given: once its time is up, and for what cannot be wrapped (a
statement that is dropped, a default), being reached counts as a difference.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, fields, is_dataclass
from time import process_time
from typing import TYPE_CHECKING, Any

from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError

from .deadlines import TookTooLongError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    # By the identity of a node: the numbers of the changes, and what stands there after each.
    Changes = Mapping[int, Sequence[tuple[int, Any]]]

PART, WHOLE, TEST, TRUTH, REACHED = (
    "__part__",
    "__whole__",
    "__test__",
    "__truth__",
    "__reached__",
)
_UNTOUCHED = ("decorator_list", "annotation", "returns", "type_comment", "type_params")
# How often an expression is worked out twice to see that this gives the same.
_PROVEN = 3
_DEEPEST = 12
_ITERATORS = tuple(type(iter(item)) for item in ([], (), range(0)))
_DRAWN_FROM = (zip, enumerate, reversed, *_ITERATORS)
_DEEDS = frozenset(
    (
        *("append", "clear", "extend", "insert", "pop", "popitem", "read", "remove", "reverse"),
        *("seek", "send", "setdefault", "sort", "update", "write"),
    )
)
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

    def part(
        self,
        numbers: tuple[int, ...],
        original: Callable[[], Any],
        raw: Callable[[], Any],
        *others: Callable[[], Any],
    ) -> Any:  # noqa: ANN401  whatever the expression gives
        """The value of an expression; notes which of the others have another one."""
        outcome = _outcome(original)
        if not self._quiet:
            self._compare(numbers, numbers, outcome, (raw, *others), self._noted(numbers))
        return outcome.given()

    def whole(
        self,
        numbers: tuple[int, ...],
        original: Callable[[], Any],
        raw: Callable[[], Any],
        *others: Callable[[], Any],
    ) -> Any:  # noqa: ANN401  whatever the expression gives
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

    def test(
        self,
        numbers: tuple[int, ...],
        original: Callable[[], Any],
        raw: Callable[[], Any],
        *others: Callable[[], Any],
    ) -> Any:  # noqa: ANN401  whatever the expression gives
        """The same of an expression of which no more matters than whether it holds."""
        truths = [_truth_of(item) for item in (original, raw, *others)]
        return self.whole(numbers, *truths)

    def truth(
        self, if_true: tuple[int, ...], if_false: tuple[int, ...], condition: Callable[[], Any]
    ) -> Any:  # noqa: ANN401  whatever the condition gives
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

    def _noted(self, numbers: tuple[int, ...]) -> set[int]:
        """Where a difference is noted: of a part of a whole that is at work, as a possible one."""
        return self._possible if numbers[0] in self._active else self.different

    def _compare(
        self,
        numbers: tuple[int, ...],
        asked: Collection[int],
        outcome: _Outcome,
        ways: Sequence[Callable[[], Any]],
        noted: set[int],
    ) -> None:
        """Note which of those that are asked for give something else than an expression did.

        `ways` has the expression itself, and what stands there for each of the numbers.
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

    def here(self, numbers: tuple[int, ...]) -> None:
        """Changes that make a difference wherever they are reached."""
        if not self._quiet:
            self._note(numbers)

    def _note(self, numbers: tuple[int, ...]) -> None:
        self.reached.update(numbers)
        self.different.update(numbers)

    def _prove(
        self, place: tuple[int, int, bool], outcome: _Outcome, raw: Callable[[], Any]
    ) -> None:
        """See that an expression gives the same when it is worked out again."""
        times = self._proven.get(place, 0)
        if times < _PROVEN:
            self._proven[place] = times + 1
            if not _gives(raw, outcome):
                self._impure.add(place)
                self.spoiled = True


@dataclass(frozen=True)
class _Outcome:
    """What working out an expression came to: a value, or an error."""

    value: Any
    error: BaseException | None = None

    def given(self) -> Any:  # noqa: ANN401  whatever the expression gives
        if self.error is not None:
            raise self.error
        return self.value


def _outcome(expression: Callable[[], Any]) -> _Outcome:
    try:
        return _Outcome(expression())
    except TookTooLongError:
        raise
    except Exception as error:
        return _Outcome(None, error)


def _truth_of(expression: Callable[[], Any]) -> Callable[[], bool]:
    return lambda: bool(expression())


def _gives(expression: Callable[[], Any], outcome: _Outcome) -> bool:
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
        return reduced[1] if isinstance(value, zip) and len(left) == 1 else reduced
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, item.name) for item in fields(value)]
    return None


# --- the wrapped source --------------------------------------------------------------------------


def wrapped(tree: ast.Module, changes: Changes) -> ast.Module:
    """A module whose expressions tell a Recorder what each change would make of them."""
    found = _Wrapping(changes).module(tree)
    return ast.fix_missing_locations(found)


class _Wrapping:
    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        # Changes within the statement at hand that cannot be wrapped.
        self._loose: list[int] = []
        # Of the whole expression at hand: (number, the node that is changed, what stands there).
        self._inside: list[tuple[int, ast.AST, Any]] | None = None
        # What of the statement at hand is a condition, and what is done for what it does.
        self._tests: set[int] = set()
        self._deeds: set[int] = set()

    def module(self, tree: ast.Module) -> ast.Module:
        return ast.Module([self._definition(item) for item in tree.body], tree.type_ignores)

    def _definition(self, node: ast.stmt) -> ast.stmt:
        """A statement of a module or class, which runs at import: its functions are wrapped."""
        if isinstance(node, ast.FunctionDef):
            return self._function(node)
        if isinstance(node, ast.ClassDef):
            made = copy.copy(node)
            made.body = [self._definition(item) for item in node.body]
            return made
        return node

    def _function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        made = copy.copy(node)
        before = [number for part in ast.walk(node.args) for number in self._numbers(part)]
        made.body = [*self._noting(before), *self._statements(node.body)]
        return made

    def _numbers(self, node: ast.AST) -> list[int]:
        return [number for number, _ in self._changes.get(id(node), ())]

    def _noting(self, numbers: Sequence[int]) -> list[ast.stmt]:
        if not numbers:
            return []
        return [ast.Expr(_called(REACHED, _constant(numbers)))]

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [made for item in body for made in self._statement(item)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement, behind a note of what in it cannot be wrapped."""
        if isinstance(node, ast.Raise):
            return [node]
        outer, self._loose = self._loose, []
        self._tests = {id(node.test)} if isinstance(node, (ast.If, ast.While)) else set()
        self._deeds = {id(node.value)} if isinstance(node, ast.Expr) else set()
        if isinstance(node, ast.FunctionDef):
            made: ast.AST = self._function(node)
        elif isinstance(node, ast.ClassDef):
            made = self._definition(node)
        else:
            made = self._parts(node)
        numbers = self._numbers(node)
        if isinstance(made, (ast.If, ast.While)) and numbers and _can_be_wrapped(made.test):
            made.test = self._condition(made.test, node)
        else:
            self._loose += numbers
        found = [*self._noting(self._loose), made]
        self._loose = outer
        return found  # type: ignore[return-value]  a statement's copy is one

    def _condition(self, test: ast.expr, node: ast.AST) -> ast.expr:
        """The test of a statement whose changes take it for true or false, or run it once."""
        if_true, if_false = [], []
        for number, other in self._changes[id(node)]:
            always = isinstance(node, ast.If) and other.test.value is True
            (if_false if always else if_true).append(number)
        return _called(TRUTH, _constant(if_true), _constant(if_false), _delayed(test))

    def _parts(self, node: Any) -> Any:  # noqa: ANN401  any node
        """A copy with its parts wrapped."""
        made = copy.copy(node)
        for field, value in ast.iter_fields(node):
            if field in _UNTOUCHED:
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(made, field, self._statements(value))
            elif isinstance(value, list):
                items = [self._any(item) if isinstance(item, ast.AST) else item for item in value]
                setattr(made, field, items)
            elif isinstance(value, ast.AST):
                setattr(made, field, self._any(value))
        return made

    def _any(self, node: ast.AST) -> Any:  # noqa: ANN401  any node
        if isinstance(node, ast.comprehension):
            return self._comprehension(node)
        if isinstance(node, ast.pattern):
            self._loose += [number for part in ast.walk(node) for number in self._numbers(part)]
            return node
        if isinstance(node, ast.Lambda):
            # Its body runs elsewhere, and is a whole of its own.
            outer, self._inside = self._inside, None
            made = self._parts(node)
            self._inside = outer
            return made
        if self._inside is None and _is_whole(node) and id(node) not in self._deeds:
            return self._whole(node)
        return self._part(node)

    def _whole(self, node: ast.expr) -> Any:  # noqa: ANN401  any node
        """An expression of which all that is changed in it is judged by what it gives."""
        matters = TEST if id(node) in self._tests else WHOLE
        self._inside = []
        made = self._part(node)
        changes, self._inside = self._inside, None
        if not changes:
            return made
        alone = all(target is node for _, target, _ in changes)
        if alone and (matters is WHOLE or isinstance(node, ast.Compare)):
            return made
        numbers = [number for number, _, _ in changes]
        others = [_delayed(_replaced(node, target, new)) for _, target, new in changes]
        return _called(matters, _constant(numbers), _delayed(made), _delayed(node), *others)

    def _part(self, node: ast.AST) -> Any:  # noqa: ANN401  any node
        made = self._parts(node)
        changes = list(self._changes.get(id(node), ()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            # A function used in place of another matters where it gives something else.
            named = self._changes.get(id(node.func), ())
            changes += [(n, ast.Call(other, node.args, node.keywords)) for n, other in named]
            made.func = node.func
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            sliced = self._changes.get(id(node.slice), ())
            if isinstance(node.ctx, ast.Load):
                changes += [(n, ast.Subscript(node.value, other, node.ctx)) for n, other in sliced]
            else:
                self._loose += [number for number, _ in sliced]
        elif isinstance(node, ast.Tuple):
            self._loose += [
                number
                for item in node.elts
                if isinstance(item, ast.Slice)
                for number in self._numbers(item)
            ]
        if not changes or isinstance(node, ast.Slice):
            return made
        numbers = [number for number, _ in changes]
        wrappable = all(_can_be_wrapped(item) for item in (node, *(item for _, item in changes)))
        if id(node) in self._deeds or not wrappable:
            self._loose += numbers
            return made
        others = [_delayed(other) for _, other in changes]
        if self._inside is not None:
            self._inside += [(number, node, other) for number, other in changes]
        return _called(PART, _constant(numbers), _delayed(made), _delayed(node), *others)

    def _comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """A part of a comprehension of which the changes drop a condition each."""
        made = self._parts(node)
        for index, (number, other) in enumerate(self._changes.get(id(node), ())):
            if _can_be_wrapped(made.ifs[index]):
                condition = _delayed(made.ifs[index])
                if self._inside is not None:
                    self._inside.append((number, node, other))
                made.ifs[index] = _called(TRUTH, _constant(()), _constant((number,)), condition)
            else:
                self._loose.append(number)
        return made


def _is_whole(node: ast.AST) -> bool:
    """Whether all of an expression is worked out at once, and may be once more."""
    return (
        isinstance(node, ast.expr)
        and not isinstance(node, (ast.GeneratorExp, ast.Slice, ast.Tuple))
        and _can_be_wrapped(node)
    )


def _replaced(node: Any, target: ast.AST, new: Any) -> Any:  # noqa: ANN401  any node
    """An expression with another part in the place of one."""
    if node is target:
        return new
    if isinstance(node, list):
        return [_replaced(item, target, new) for item in node]
    if not isinstance(node, ast.AST) or not any(part is target for part in ast.walk(node)):
        return node
    made = copy.copy(node)
    for field, value in ast.iter_fields(node):
        setattr(made, field, _replaced(value, target, new))
    return made


def _can_be_wrapped(node: ast.AST) -> bool:
    """Whether an expression means the same in a function of its own."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
        return False
    if not isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
        return False
    bound = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
    return not any(isinstance(part, bound) or _does(part) for part in ast.walk(node))


def _does(node: ast.AST) -> bool:
    """Whether a call is made for what it does, too."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Name):
        return function.id == "next"
    return isinstance(function, ast.Attribute) and function.attr in _DEEDS


def _delayed(node: ast.expr) -> ast.Lambda:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, node)


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _constant(numbers: Sequence[int]) -> ast.Constant:
    return ast.Constant(tuple(numbers))


def names_of(recorder: Recorder) -> dict[str, Any]:
    """What a wrapped module calls, by the names that it does so by."""
    return {
        PART: recorder.part,
        WHOLE: recorder.whole,
        TEST: recorder.test,
        TRUTH: recorder.truth,
        REACHED: recorder.here,
    }
