"""Mutants from the syntax tree of an oracle: its functions, and what they call in its modules."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from .changes import changes, is_text, source
from .probing import UNTOUCHED, wrapped


@dataclass(frozen=True)
class Mutation:
    """One change of the source.

    Attributes:
        module: the file's name.
        line: where it is.
        function: in which function.
        change: the source before and after.
        in_call: whether it is in a function; else in a table or constant, which runs at import.
    """

    module: str
    line: int
    function: str
    change: str
    in_call: bool

    @property
    def text(self) -> str:
        """What was changed where, in one line."""
        return f"{self.module}:{self.line} {self.function}: {self.change}"


@dataclass(frozen=True)
class Site:
    """A place in the tree: a field of a node, or an item of a list that is one."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> Any:  # noqa: ANN401  whatever the field holds
        """What is there."""
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: Any) -> None:  # noqa: ANN401  whatever the field holds
        """Have something else there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutations(
    module: ModuleType, functions: Sequence[Callable[..., Any]] | None
) -> Iterator[tuple[Mutation, CodeType]]:
    """Every mutant of some functions of a module and of what they call in it, compiled.

    Args:
        module: the module that holds the oracle, or one that serves it.
        functions: where to begin; None for all that the module defines.
    """
    tree, changes = _changed(module, functions)
    file = str(inspect.getsourcefile(module))
    for mutation, site, new in changes:
        yield mutation, compiled(tree, site, new, file)


def compiled(tree: ast.Module, site: Site, new: ast.AST, file: str) -> CodeType:
    """A module with another node in a place, which is as it was afterwards."""
    original = site.node
    site.put(new)
    try:
        return compile(tree, file, "exec")
    finally:
        site.put(original)


def probing_code(
    module: ModuleType, functions: Sequence[Callable[..., Any]] | None, first: int
) -> tuple[CodeType, int]:
    """A module that says which of its mutants make a difference (`probing`), and their count.

    The mutants are those of `mutations`, numbered in their order from `first`.
    """
    tree, changes = _changed(module, functions)
    by_node: dict[int, list[tuple[int, Any]]] = {}
    count = 0
    for mutation, site, new in changes:
        if mutation.in_call:
            by_node.setdefault(id(site.node), []).append((first + count, new))
        count += 1
    code = compile(wrapped(tree, by_node), str(inspect.getsourcefile(module)), "exec")
    return code, count


def _changed(
    module: ModuleType, functions: Sequence[Callable[..., Any]] | None
) -> tuple[ast.Module, Iterator[tuple[Mutation, Site, Any]]]:
    """The source of a module, and each change of it with its place and what is there then."""
    file = inspect.getsourcefile(module) or ""
    tree = ast.parse(inspect.getsource(module), file)
    return tree, _changes_of(tree, file.rpartition("/")[2], functions)


def _changes_of(
    tree: ast.Module, name: str, functions: Sequence[Callable[..., Any]] | None
) -> Iterator[tuple[Mutation, Site, Any]]:
    for called, definition in parts_of(tree, functions):
        for site in sites_in(definition):
            original = site.node
            where = getattr(original, "lineno", getattr(site.parent, "lineno", 0))
            for changed in changes(original):
                new = located(changed, original, site.parent)
                if isinstance(original, ast.While) and not _compiles(tree, site, new):
                    continue  # a loop that is left or begun anew from within
                mutation = Mutation(
                    name,
                    where,
                    called,
                    f"{source(original)} -> {source(changed)}",
                    isinstance(definition, ast.FunctionDef),
                )
                yield mutation, site, new


def _compiles(tree: ast.Module, site: Site, new: ast.AST) -> bool:
    try:
        compiled(tree, site, new, "a mutant")
    except SyntaxError:
        return False
    return True


_DEFINING = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def parts_of(
    tree: ast.Module, functions: Sequence[Callable[..., Any]] | None
) -> Iterator[tuple[str, ast.AST]]:
    """What of a module is changed, by name: all it defines, or what some functions of it use.

    The methods of a class are by themselves: their lines run in a call.
    """
    if functions is None:
        definitions: list[Any] = [item for item in tree.body if isinstance(item, _DEFINING)]
    else:
        names = {function.__name__ for function in functions}
        first_lines = {function.__code__.co_firstlineno for function in functions}
        definitions = _reachable(tree, names, first_lines)
    for definition in definitions:
        if isinstance(definition, ast.ClassDef):
            for item in definition.body:
                if isinstance(item, _DEFINING):
                    yield f"{definition.name}.{_name_of(item)}", item
        else:
            yield _name_of(definition), definition


def _name_of(definition: ast.AST) -> str:
    """The function's name, or that of the table or constant."""
    if isinstance(definition, (ast.Assign, ast.AnnAssign)):
        targets = definition.targets if isinstance(definition, ast.Assign) else [definition.target]
        return ast.unparse(targets[0])
    return getattr(definition, "name", "module")


def _reachable(
    tree: ast.Module, names: set[str], first_lines: set[int]
) -> list[ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign]:
    """The definitions at the top of a module that are used from some of its functions."""
    known: dict[str, Any] = {}
    for item in tree.body:
        if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            known[item.name] = item
        elif isinstance(item, ast.Assign):
            known.update(
                {target.id: item for target in item.targets if isinstance(target, ast.Name)}
            )
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            known[item.target.id] = item
    started = [item for name, item in known.items() if name in names]
    # A function that a table or a loop registers has no name of its own at the top.
    started += [
        item
        for item in tree.body
        if not isinstance(item, (ast.Import, ast.ImportFrom))
        and any(item.lineno <= line <= (item.end_lineno or 0) for line in first_lines)
    ]
    found: list[Any] = []
    waiting = started
    while waiting:
        item = waiting.pop(0)
        if item in found:
            continue
        found.append(item)
        used = {node.id for node in ast.walk(item) if isinstance(node, ast.Name)}
        waiting += [known[name] for name in sorted(used) if name in known]
    return sorted(found, key=lambda item: item.lineno)


def sites_in(definition: ast.AST) -> Iterator[Site]:
    """Every place below a definition that may be changed; not types, texts and decorators."""
    for field, value in ast.iter_fields(definition):
        if field in UNTOUCHED:
            continue
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST) and not is_text(item):
                    yield Site(definition, field, index)
                    yield from sites_in(item)
        elif isinstance(value, ast.AST):
            yield Site(definition, field, None)
            yield from sites_in(value)


def located(node: Any, original: ast.AST, parent: ast.AST) -> Any:  # noqa: ANN401  any node
    """The new node with a place in the file, so that it compiles."""
    if isinstance(node, ast.AST):
        source = original if hasattr(original, "lineno") else parent
        for part in ast.walk(node):
            for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
                if isinstance(part, (ast.expr, ast.stmt, ast.arg, ast.keyword)) and not hasattr(
                    part, name
                ):
                    setattr(part, name, getattr(source, name, 1))
    return node
