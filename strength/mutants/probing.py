"""Which changes of the code make a difference at the place where they are, in one run.

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
from collections.abc import Mapping, Sequence
from typing import Any

from .recorder import PART, REACHED, TEST, TRUTH, WHOLE

# By the identity of a node: the numbers of the changes, and what is there after each.
Changes = Mapping[int, Sequence[tuple[int, Any]]]
#: Fields of nodes that no change is made in: types, texts and decorators.
UNTOUCHED = ("decorator_list", "annotation", "returns", "type_comment", "type_params")
_DEEDS = frozenset(
    (
        *("append", "clear", "extend", "insert", "pop", "popitem", "read", "remove", "reverse"),
        *("seek", "send", "setdefault", "sort", "update", "write"),
    )
)


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
        # Of the whole expression at hand: (number, the node that is changed, what is there).
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
        made: Any
        if isinstance(node, ast.FunctionDef):
            made = self._function(node)
        elif isinstance(node, ast.ClassDef):
            made = self._definition(node)
        else:
            made = self._parts(node)
        numbers = self._numbers(node)
        if isinstance(made, (ast.If, ast.While)) and numbers and can_be_wrapped(made.test):
            made.test = self._condition(made.test, node)
        else:
            self._loose += numbers
        found: list[ast.stmt] = [*self._noting(self._loose), made]
        self._loose = outer
        return found

    def _condition(self, test: ast.expr, node: ast.AST) -> ast.expr:
        """The test of a statement whose changes take it for true or false, or run it once."""
        if_true: list[int] = []
        if_false: list[int] = []
        for number, other in self._changes[id(node)]:
            always = isinstance(node, ast.If) and other.test.value is True
            (if_false if always else if_true).append(number)
        return _called(TRUTH, _constant(if_true), _constant(if_false), delayed(test))

    def _parts(self, node: Any) -> Any:  # noqa: ANN401  any node
        """A copy with its parts wrapped."""
        made = copy.copy(node)
        for field, value in ast.iter_fields(node):
            if field in UNTOUCHED:
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

    def _whole(self, node: Any) -> Any:  # noqa: ANN401  any node
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
        others = [delayed(_replaced(node, target, new)) for _, target, new in changes]
        return _called(matters, _constant(numbers), delayed(made), delayed(node), *others)

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
        wrappable = all(can_be_wrapped(item) for item in (node, *(item for _, item in changes)))
        if id(node) in self._deeds or not wrappable:
            self._loose += numbers
            return made
        others = [delayed(other) for _, other in changes]
        if self._inside is not None:
            self._inside += [(number, node, other) for number, other in changes]
        return _called(PART, _constant(numbers), delayed(made), delayed(node), *others)

    def _comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """A part of a comprehension of which the changes drop a condition each."""
        made: ast.comprehension = self._parts(node)
        for index, (number, other) in enumerate(self._changes.get(id(node), ())):
            if can_be_wrapped(made.ifs[index]):
                condition = delayed(made.ifs[index])
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
        and can_be_wrapped(node)
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


def can_be_wrapped(node: ast.AST) -> bool:
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


def delayed(node: Any) -> ast.Lambda:  # noqa: ANN401  an expression
    """An expression that is worked out when it is called."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, node)


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _constant(numbers: Sequence[int]) -> ast.Constant:
    made: Any = tuple(numbers)
    return ast.Constant(made)
