"""Which changes of the code make a difference at the place where they stand, in one run.

A mutant answers a call otherwise only where the expression that it changes gives another value, or
fails, at least once on the way to the answer. So each module is made once more with every
expression that mutants change wrapped: it works out the original, then, for each mutant that has
made no difference yet, what that one has in its place. One run of the oracle so says of hundreds
of mutants that they need no run of their own on this call.

That takes no longer than it is given: once its time is up, and for what cannot be wrapped (a
statement that is dropped, a default), being reached counts as a difference.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import fields, is_dataclass
from fractions import Fraction
from time import process_time
from typing import TYPE_CHECKING, Any

from .evidence import TookTooLongError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    # By the identity of a node: the numbers of the changes, and what stands there after each.
    Changes = Mapping[int, Sequence[tuple[int, Any]]]

PROBE, TRUTH, REACHED = "__probe__", "__truth__", "__reached__"
_UNTOUCHED = ("decorator_list", "annotation", "returns", "type_comment", "type_params")
# How often an expression is worked out twice to see that this gives the same.
_PROVEN = 3
_DEEPEST = 12
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
        self._impure: set[int] = set()
        self._proven: dict[int, int] = {}
        self._quiet = 1
        self._left = 0.0

    def begin(self, seconds: float) -> None:
        """Note what makes a difference from here on; `seconds` are for what would be otherwise."""
        self._left = seconds
        self.different = set()
        self.spoiled = False
        self._quiet = 0

    def end(self) -> None:
        """Note nothing any more."""
        self._quiet = 1

    def probe(
        self,
        numbers: tuple[int, ...],
        original: Callable[[], Any],
        raw: Callable[[], Any],
        *others: Callable[[], Any],
    ) -> Any:  # noqa: ANN401  whatever the expression gives
        """The value of an expression; notes which of the others have another one."""
        if self._quiet:
            return original()
        try:
            value = original()
        except BaseException:
            self._note(numbers)
            raise
        if self.different.issuperset(numbers):
            return value
        if self._left <= 0 or numbers[0] in self._impure:
            self._note(numbers)
            return value
        self.reached.update(numbers)
        self._quiet = 1
        begun = process_time()
        try:
            self._prove(numbers[0], value, raw)
            for number, other in zip(numbers, others, strict=True):
                if number not in self.different and not _gives(other, value):
                    self.different.add(number)
        except TookTooLongError:
            self._impure.add(numbers[0])
            self.spoiled = True
            raise
        finally:
            self._quiet = 0
            self._left -= process_time() - begun
        return value

    def truth(
        self, if_true: tuple[int, ...], if_false: tuple[int, ...], condition: Callable[[], Any]
    ) -> Any:  # noqa: ANN401  whatever the condition gives
        """A condition; notes the changes that make a difference where it holds, or does not."""
        try:
            value = condition()
        except BaseException:
            self.here((*if_true, *if_false))
            raise
        if not self._quiet:
            self.reached.update(if_true, if_false)
            self.different.update(if_true if value else if_false)
        return value

    def here(self, numbers: tuple[int, ...]) -> None:
        """Changes that make a difference wherever they are reached."""
        if not self._quiet:
            self._note(numbers)

    def _note(self, numbers: tuple[int, ...]) -> None:
        self.reached.update(numbers)
        self.different.update(numbers)

    def _prove(self, place: int, value: Any, raw: Callable[[], Any]) -> None:  # noqa: ANN401
        """See that an expression gives the same when it is worked out again."""
        times = self._proven.get(place, 0)
        if times < _PROVEN:
            self._proven[place] = times + 1
            if not _gives(raw, value):
                self._impure.add(place)
                self.spoiled = True


def _gives(expression: Callable[[], Any], value: Any) -> bool:  # noqa: ANN401  any value
    try:
        return _same(expression(), value, _DEEPEST)
    except TookTooLongError:
        raise
    except Exception:
        return False


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


def _parts_of(value: Any) -> Sequence[Any] | None:  # noqa: ANN401  any value
    """What a value is made of and nothing else; None where nobody knows."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, dict):
        return tuple(value.items())
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
        if not _can_be_wrapped(node) or not all(_can_be_wrapped(item) for _, item in changes):
            self._loose += numbers
            return made
        others = [_delayed(other) for _, other in changes]
        return _called(PROBE, _constant(numbers), _delayed(made), _delayed(node), *others)

    def _comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """A part of a comprehension of which the changes drop a condition each."""
        made = self._parts(node)
        for index, (number, _) in enumerate(self._changes.get(id(node), ())):
            if _can_be_wrapped(made.ifs[index]):
                condition = _delayed(made.ifs[index])
                made.ifs[index] = _called(TRUTH, _constant(()), _constant((number,)), condition)
            else:
                self._loose.append(number)
        return made


def _can_be_wrapped(node: ast.AST) -> bool:
    """Whether an expression means the same in a function of its own."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
        return False
    if not isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
        return False
    bound = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
    return not any(isinstance(part, bound) for part in ast.walk(node))


def _delayed(node: ast.expr) -> ast.Lambda:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, node)


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _constant(numbers: Sequence[int]) -> ast.Constant:
    return ast.Constant(tuple(numbers))


def names_of(recorder: Recorder) -> dict[str, Any]:
    """What a wrapped module calls, by the names that it does so by."""
    return {PROBE: recorder.probe, TRUTH: recorder.truth, REACHED: recorder.here}
