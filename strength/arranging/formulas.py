"""Mutants of an oracle's formulas that need more than one place of it to be looked at.

Rounding before for after an addition, half away for half to even, `start + i * delta` summed up
step by step, an intermediate held in the type of the call, beyond which it is infinite or 0. All
else in code is mutated by `mutants.code`.

Each change is tried first beside the original, in one run of the oracle that is watched: a call at
which it gives the same value cannot tell it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Special,
    is_finite,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction, Whole
from onnx_conformance.generators.oracle.arith.rounding import (
    greatest,
    is_float,
    least_subnormal,
    round_to,
)
from onnx_conformance.generators.oracle.registry import Call, Result

from ..interfaces import Answer
from ..mutants.code import compiled, located, parts_of, sites_in
from ..mutants.helpers import all_for, modules, rebuilt_with
from ..mutants.mutant import Mutant, answering, copied, sources
from ..mutants.probing import can_be_wrapped, delayed

_AWAY, _AWAY_ROUND, _SUMMED = "__away__", "__away_round__", "__summed__"
_HELD, _WATCH = "__held__", "__watch__"
_ROUNDING = frozenset(("ceil", "floor", "int", "round", "round_half_even", "trunc"))
_HALF_EVEN = frozenset(("round", "round_half_even"))
_ADDING = (ast.Add, ast.Sub)
_HELD_OPERATIONS = (ast.Mult, ast.Div, ast.Add, ast.Sub, ast.Pow)
_HELD_FUNCTIONS = frozenset(("add", "div", "mul", "sub"))
# More steps than this are no loop that a vector asks for.
_MOST_STEPS = 4096


@dataclass
class Arithmetic:
    """What changed formulas call, and the type that they compute in.

    Attributes:
        type: of the call that is answered: its first floating-point type.
        different: the numbers of the changes that gave another value since it was emptied.
    """

    type: str = "float32"
    different: set[int] = field(default_factory=set)

    def begin(self, call: Call) -> None:
        """A call is to be answered."""
        floats = [name for name in call.types.values() if is_float(name)]
        self.type = floats[0] if floats else "float32"

    def away(self, number: Any) -> Any:  # noqa: ANN401  a number
        """The nearest integer, the one away from 0 of two."""
        if isinstance(number, (Special, Whole)):
            return number
        exact = Fraction(number)
        found = Fraction(int(abs(exact) + Fraction(1, 2)))
        return (found if exact >= 0 else -found) if found or exact >= 0 else NEG_ZERO

    def away_whole(self, number: Any) -> int:  # noqa: ANN401  a number
        """The same as an integer, as `round` gives it."""
        found = self.away(number)
        return 0 if found is NEG_ZERO else int(found)

    def summed(self, start: Any, one: Any, other: Any) -> Any:  # noqa: ANN401  numbers
        """`start + one * other`, the integer of both being how often the other is added."""
        count, step = (one, other) if isinstance(one, Whole) else (other, one)
        numbers = isinstance(start, (Fraction, Whole)) and isinstance(step, Fraction)
        if not isinstance(count, Whole) or not numbers or not 0 <= count <= _MOST_STEPS:
            return start + one * other
        total: Any = Fraction(start)
        for _ in range(int(count)):
            total = round_to(self.type, total + step)
            if not is_finite(total):
                return total
            total = Fraction(0) if total is NEG_ZERO else Fraction(total)
        return total

    def held(self, number: Any) -> Any:  # noqa: ANN401  a number
        """A number, infinite where it is beyond the type, and 0 where it is below it."""
        if not isinstance(number, Fraction) or not number:
            return number
        if abs(number) > greatest(self.type):
            return INF if number > 0 else NEG_INF
        if abs(number) * 2 < least_subnormal(self.type):
            return ZERO if number > 0 else NEG_ZERO
        return number

    def watch(self, number: int, usual: Callable[[], Any], other: Callable[[], Any]) -> Any:  # noqa: ANN401
        """The usual value; notes a change that gives another."""
        value = usual()
        if number not in self.different:
            try:
                found = other()
                same = type(found) is type(value) and bool(found == value)
            except Exception:
                same = False
            if not same:
                self.different.add(number)
        return value

    def names(self) -> dict[str, Any]:
        """What changed modules call, by name."""
        away = {_AWAY: self.away, _AWAY_ROUND: self.away_whole}
        return {**away, _SUMMED: self.summed, _HELD: self.held, _WATCH: self.watch}


class Formulas:
    """The changed formulas of an operator.

    Attributes:
        mutants: all of them.
    """

    def __init__(self, domain: str, operator: str) -> None:
        """Find what can be changed, and make the modules once more in which all is watched."""
        self._arithmetic = Arithmetic()
        self._target = domain, operator
        self.mutants: list[Mutant] = []
        watched: dict[str, Any] = {}
        last = ""
        seen: dict[str, int] = {}
        for name, source, functions in sources(domain, operator):
            last = name
            file = inspect.getsourcefile(source) or ""
            tree = ast.parse(inspect.getsource(source), file)
            short = file.rpartition("/")[2]
            found: list[tuple[int, Any, Any]] = []
            for where, site, new in _changes(tree, functions):
                text = f"{short} {where}: {ast.unparse(site.node)} -> {_words(new)}"
                seen[text] = seen.get(text, 0) + 1
                again = f" [{seen[text]}]" if seen[text] > 1 else ""
                number = len(self.mutants)
                code = compiled(tree, site, new, file)
                make = self._maker(name, source.__name__, code)
                self.mutants.append(Mutant(f"formula: {text}{again}", make, number))
                found.append((number, site, new))
            watched[source.__name__] = _watching(tree, found, file)
        if self.mutants:
            copies = copied(modules(all_for(last)), watched, self._arithmetic.names())
            self._watched = self._within(answering(copies[-1], domain, operator))

    def different(self, call: Call, answered: Callable[[Answer, Call], Any]) -> frozenset[int]:
        """The changes that give another value somewhere on the way to the answer of a call."""
        if not self.mutants:
            return frozenset()
        self._arithmetic.different.clear()
        answered(self._watched, call)
        return self.seen()

    def seen(self) -> frozenset[int]:
        """The changes that were seen to give another value since a call was begun."""
        return frozenset(self._arithmetic.different)

    def _maker(self, oracle: str, module: str, code: Any) -> Callable[[], Answer]:  # noqa: ANN401
        def make() -> Answer:
            rebuilt = modules(rebuilt_with(module, oracle))
            copies = copied(rebuilt, {module: code}, self._arithmetic.names())
            return self._within(answering(copies[-1], *self._target))

        return make

    def _within(self, answer: Answer) -> Answer:
        def answered(call: Call) -> Result:
            self._arithmetic.begin(call)
            return answer(call)

        return answered


def _watching(tree: ast.Module, found: list[tuple[int, Any, Any]], file: str) -> Any:  # noqa: ANN401
    """The module with each place that is changed wrapped, the innermost first.

    A place that holds another works that one out as it is: the other is watched by itself.
    """
    by_site: dict[tuple[int, str, int | None], tuple[Any, list[tuple[int, Any]]]] = {}
    for number, site, new in found:
        key = id(site.parent), site.field, site.index
        by_site.setdefault(key, (site, []))[1].append((number, new))
    # Sites are found from the outside in: what is inside is wrapped before what holds it.
    for site, changes in reversed(list(by_site.values())):
        made: Any = site.node
        for number, new in changes:
            arguments = [ast.Constant(number), delayed(made), delayed(new)]
            made = ast.Call(ast.Name(_WATCH, ast.Load()), arguments, [])
        site.put(made)
    return compile(ast.fix_missing_locations(tree), file, "exec")


# --- the changes ----------------------------------------------------------------------------------


def _changes(tree: ast.Module, functions: Any) -> Iterator[tuple[str, Any, ast.expr]]:  # noqa: ANN401
    """(function, place, what stands there then) for each change of a module."""
    for where, definition in parts_of(tree, functions):
        if not isinstance(definition, ast.FunctionDef):
            continue  # a table runs at import
        for site in sites_in(definition):
            node = site.node
            if isinstance(node, ast.expr) and can_be_wrapped(node):
                for new in _others(node):
                    yield where, site, located(new, node, site.parent)


def _others(node: ast.expr) -> Iterator[ast.expr]:
    """What may stand in the place of an expression."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        yield from _of_calls(node, node.func.id)
    elif isinstance(node, ast.BinOp):
        yield from _of_operations(node)


def _of_calls(node: ast.Call, name: str) -> Iterator[ast.expr]:
    if name in _HALF_EVEN and len(node.args) == 1:
        yield ast.Call(
            ast.Name(_AWAY_ROUND if name == "round" else _AWAY, ast.Load()), node.args, []
        )
    if name in _ROUNDING and len(node.args) == 1:
        inside = node.args[0]
        if isinstance(inside, ast.BinOp) and isinstance(inside.op, _ADDING):
            yield ast.BinOp(_call(node.func, inside.left), inside.op, inside.right)
            yield ast.BinOp(inside.left, inside.op, _call(node.func, inside.right))
    if name in _HELD_FUNCTIONS and len(node.args) == 2:
        yield _call(ast.Name(_HELD, ast.Load()), node)


def _of_operations(node: ast.BinOp) -> Iterator[ast.expr]:
    if isinstance(node.op, _ADDING):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if _is_rounding(one):
                inside: Any = one
                argument = inside.args[0]
                ends = (argument, other) if one is node.left else (other, argument)
                yield _call(inside.func, ast.BinOp(ends[0], node.op, ends[1]))
    if isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult):
                yield _call(ast.Name(_SUMMED, ast.Load()), other, one.left, one.right)
    if isinstance(node.op, _HELD_OPERATIONS):
        yield _call(ast.Name(_HELD, ast.Load()), node)


def _is_rounding(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _ROUNDING
        and len(node.args) == 1
        and not node.keywords
    )


def _call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(function, list(arguments), [])


def _words(new: ast.expr) -> str:
    text = ast.unparse(new)
    if text.startswith(f"{_HELD}("):
        return "held in the type"
    if text.startswith(f"{_SUMMED}("):
        return "summed up"
    return "half away from 0" if text.startswith((_AWAY, _AWAY_ROUND)) else text
