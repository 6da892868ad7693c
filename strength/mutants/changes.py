"""What may be wrong in a node of code: a comparison, a constant, a statement that is dropped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from onnx_conformance.core.text import unwrapped

_OPPOSITES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitOr,),
}
# Names that are often confused with each other.
_CONFUSED = {
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
    "wrap": ("saturate",),
    "saturate": ("wrap",),
    "floor": ("trunc", "ceil"),
    "ceil": ("floor",),
    "trunc": ("floor", "round_half_even"),
    "round_half_even": ("trunc", "floor"),
    "add": ("sub",),
    "sub": ("add",),
    "mul": ("div",),
    "div": ("mul",),
    "INF": ("NEG_INF", "NAN"),
    "NEG_INF": ("INF", "NAN"),
    "NAN": ("ZERO", "INF"),
    "NEG_ZERO": ("ZERO",),
    "ZERO": ("NEG_ZERO", "ONE"),
    "ONE": ("ZERO",),
}
# What a call is without the function: its first argument, or the one at this place.
_DROPPED = {
    "absolute": 0,
    "abs": 0,
    "neg": 0,
    "floor": 0,
    "ceil": 0,
    "trunc": 0,
    "round_half_even": 0,
    "sorted": 0,
    "reversed": 0,
    "round_to": 1,
    "wrap": 1,
    "saturate": 1,
}


def is_text(node: ast.AST) -> bool:
    """A docstring, or what only makes a message: the argument of an exception."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ) or isinstance(node, ast.Raise)


def changes(node: ast.AST) -> Iterator[Any]:
    """What may be in a node's place."""
    if isinstance(node, ast.stmt):
        yield from _statement(node)
    for kind, changes in _CHANGES.items():
        if isinstance(node, kind):
            yield from changes(node)


def _statement(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.If):
        for value in (True, False):
            yield ast.If(ast.Constant(value), node.body, node.orelse)
    elif isinstance(node, (ast.Expr, ast.AugAssign, ast.Continue, ast.Break)):
        yield ast.Pass()
    elif isinstance(node, ast.While):
        yield ast.If(node.test, node.body, [])


def _comparison(node: ast.Compare) -> Iterator[ast.expr]:
    for index, operator in enumerate(node.ops):
        for other in _OPPOSITES.get(type(operator), ()):
            operators = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield ast.Compare(node.left, operators, node.comparators)
    if len(node.ops) > 1:
        yield ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])
        yield ast.Compare(node.left, node.ops[:-1], node.comparators[:-1])


def _boolean(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for index in range(len(node.values)):
        rest = _without(node.values, index)
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _arithmetic(node: ast.BinOp) -> Iterator[ast.expr]:
    for other in _ARITHMETIC.get(type(node.op), ()):
        yield ast.BinOp(node.left, other(), node.right)
    yield node.left
    yield node.right


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield ast.Constant(node.value * 2 or 1.0)


def _call(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name.startswith("is_") or name == "isinstance":
        yield ast.Constant(value=False)
        if name != "isinstance":
            yield ast.Constant(value=True)
    place = _DROPPED.get(name)
    if place is not None and len(node.args) > place:
        yield node.args[place]
    if name == "range" and node.args:
        for operator in (ast.Add(), ast.Sub()):
            end = min(len(node.args) - 1, 1)
            moved = ast.BinOp(node.args[end], operator, ast.Constant(1))
            yield ast.Call(node.func, [*node.args[:end], moved, *node.args[end + 1 :]], [])
    for index in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, _without(node.keywords, index))


def _slice(node: ast.Slice) -> Iterator[ast.expr]:
    if node.lower is not None:
        yield ast.Slice(None, node.upper, node.step)
    if node.upper is not None:
        yield ast.Slice(node.lower, None, node.step)
    if node.step is not None:
        yield ast.Slice(node.lower, node.upper, None)


def _name(node: ast.Name) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load):
        yield from (ast.Name(name, ast.Load()) for name in _CONFUSED.get(node.id, ()))


def _choice(node: ast.IfExp) -> Iterator[ast.expr]:
    yield node.body
    yield node.orelse


def _conditions(node: ast.comprehension) -> Iterator[ast.comprehension]:
    for index in range(len(node.ifs)):
        yield ast.comprehension(node.target, node.iter, _without(node.ifs, index), node.is_async)


_CHANGES: dict[type[ast.AST], Callable[[Any], Iterator[Any]]] = {
    ast.Compare: _comparison,
    ast.BoolOp: _boolean,
    ast.UnaryOp: lambda node: iter([node.operand]),
    ast.BinOp: _arithmetic,
    ast.IfExp: _choice,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.Name: _name,
    ast.Slice: _slice,
    ast.comprehension: _conditions,
}


def _without(items: list[Any], index: int) -> list[Any]:
    return [*items[:index], *items[index + 1 :]]


def source(node: Any) -> str:  # noqa: ANN401  any node
    """A node as it would be written, in few words."""
    if isinstance(node, (ast.If, ast.While)):
        word = "if" if isinstance(node, ast.If) else "while"
        return f"{word} {_shortened(ast.unparse(node.test))}"
    if isinstance(node, ast.AST):
        return _shortened(ast.unparse(node))
    return str(node)


def _shortened(text: str) -> str:
    # With three dots, not `core.text.shortened`: records and equivalents.yaml hold these texts.
    line = unwrapped(text)
    return line if len(line) <= 70 else line[:67] + "..."
