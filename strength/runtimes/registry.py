"""The wrong runtimes, and the right ones that work in the same ways.

A wrong runtime is a function of the step that it gets wrong, whose docstring says what it does:

    @wrong("functions", FunctionStep)
    def defaults_of_functions_win(step: FunctionStep) -> Values:
        # The docstring: The default of a function's attribute wins over what is given.
        names = {item.name for item in step.function.defaults}
        return step.right(attributes=[it for it in step.attributes if it.name not in names])

Its name is `functions: defaults of functions win`. `variants` makes several of one function, each
with further arguments. What needs several steps is a subclass of Session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar

from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.validity.checking import Checker

from .steps import NodeStep, Pair, Step, checker_with, session_with

Wrong = TypeVar("Wrong", bound=Callable[..., Any])

CORRECT = "correct"
_MARK = "wrong_runtimes"


@dataclass(frozen=True)
class Runtime:
    """A runtime that is right about every operator.

    Attributes:
        area: the part of a runtime that is wrong in it, or `correct`.
        title: what tells it from others of its area.
        summary: what it does.
        held_out: whether it was written before its author had seen a case of the corpus.
        session, checker: what runs a model, and what checks one.
    """

    area: str
    title: str
    summary: str
    held_out: bool = False
    session: type[Session] = field(default=Session, repr=False)
    checker: type[Checker] = field(default=Checker, repr=False)

    @property
    def name(self) -> str:
        """Area and title."""
        return f"{self.area}: {self.title}"


def wrong(  # noqa: PLR0913  all by name but for the part and the step
    area: str,
    kind: type[Step[Any]] = NodeStep,
    *,
    of: Collection[str] = (),
    variants: Mapping[str, tuple[Any, ...]] | None = None,
    also: Mapping[type[Step[Any]], Callable[..., Any]] | None = None,
    held_out: bool | Collection[str] = False,
) -> Callable[[Wrong], Wrong]:
    """Register a wrong step, or a subclass of Session that is wrong.

    Args:
        area: the part of a runtime that is wrong.
        kind: the step; what is decorated gets one of these.
        of: operators of the standard, of which alone the step is wrong.
        variants: further arguments, by the words that the name of each variant ends in.
        also: further steps of the same runtime, with the same arguments.
        held_out: whether it was written before its author had seen a case of the corpus, or which
            of the variants were.
    """
    if not isinstance(held_out, bool) and not set(held_out) <= set(variants or {}):
        raise ValueError(f"no variants: {sorted(set(held_out) - set(variants or {}))}")

    def register(target: Wrong) -> Wrong:
        words = target.__name__.replace("_", " ").strip()
        summary = " ".join((target.__doc__ or "").split())
        made = []
        for suffix, arguments in ({"": ()} if variants is None else variants).items():
            session = target if isinstance(target, type) else None
            every: dict[type[Step[Any]], Callable[..., Any]] = {kind: target, **(also or {})}
            steps = {item: _given(one, arguments, of) for item, one in every.items()}
            made.append(
                Runtime(
                    area,
                    f"{words} {suffix}".strip(),
                    summary,
                    held_out if isinstance(held_out, bool) else suffix in held_out,
                    session or session_with(steps),
                    Checker if session else checker_with(steps),
                )
            )
        setattr(target, _MARK, (target, tuple(made)))
        return target

    return register


def wrong_pair(
    area: str, *pairs: tuple[str, str], held_out: bool | Collection[str] = False
) -> Callable[[Callable[[NodeStep, Pair], Any]], Callable[..., Any]]:
    """Register what is made of two neighbours, of which the second gets its input from the first.

    Args:
        area: the part of a runtime that is wrong.
        pairs: the operators of both, of the standard; several are variants.
        held_out: as of `wrong`.
    """
    named = {f"{first}, {second}": (first, second) for first, second in pairs}
    variants = named if len(pairs) > 1 else {"": pairs[0]}

    def register(target: Callable[[NodeStep, Pair], Any]) -> Callable[..., Any]:
        @wraps(target)
        def of_pair(step: NodeStep, first: str, second: str) -> Any:  # noqa: ANN401  its results
            pair = step.pair(first, second)
            return step.right() if pair is None else target(step, pair)

        return wrong(area, variants=variants, held_out=held_out)(of_pair)

    return register


def _given(
    target: Callable[..., Any], arguments: tuple[Any, ...], of: Collection[str]
) -> Callable[[Any], Any]:
    def wrong_step(step: Any) -> Any:  # noqa: ANN401  what the step gives
        concerned = not of or step.is_a(*of)
        return target(step, *arguments) if concerned else step.right()

    return wrong_step


def runtimes_of(modules: Iterator[ModuleType]) -> Iterator[Runtime]:
    """What is registered in some modules, in the order in which it is there."""
    for module in modules:
        for member in vars(module).values():
            # A subclass inherits the mark of its base, and a module what it imports.
            target, made = getattr(member, _MARK, (None, ()))
            if target is member and member.__module__ == module.__name__:
                yield from made
