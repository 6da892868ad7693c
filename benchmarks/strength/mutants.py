"""A mutant: an oracle with one thing wrong, as a function of a call."""

from __future__ import annotations

import importlib
import sys
import types
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.generators.oracle.registry import registrations_of

from .carelessness import careless
from .helpers import helpers_of, modules, rebuilt_with
from .mutations import mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, ModuleType

    from onnx_conformance.generators.oracle.registry import Call, Registration, Result
    from onnx_conformance.generators.signatures.model import Signature

_REGISTRATIONS = "oracle_registrations"


@dataclass(frozen=True)
class Mutant:
    """An oracle with one thing wrong.

    Attributes:
        name: what is wrong, in one line; the same from run to run while the source is the same.
        file, lines: of a change in the code, where it is; no lines for one of the signature.
        make: gives the function that answers calls.
    """

    name: str
    file: str
    lines: tuple[int, ...]
    make: Callable[[], Callable[[Call], Result]]


def all_mutants(
    domain: str, operator: str, versions: Sequence[Signature], compute: Callable[[Call], Result]
) -> Iterator[Mutant]:
    """Every mutant of an operator, those of its code first; `compute` gives correct answers."""
    entries = registrations_of(operator, domain)
    for name, registered in _by_module(entries).items():
        module = importlib.import_module(name)
        functions = list(dict.fromkeys(_innermost(entry.function) for entry in registered))
        changed = [(module, mutations(module, functions))]
        changed += [(item, mutations(item, None)) for item in modules(helpers_of(name))]
        for source, found in changed:
            rebuilt = modules(rebuilt_with(source.__name__, name))
            seen: Counter[str] = Counter()
            for mutation, code in found:
                seen[mutation.text] += 1
                again = f" [{seen[mutation.text]}]" if seen[mutation.text] > 1 else ""
                yield Mutant(
                    mutation.text + again,  # the same change may be made twice in a line
                    str(source.__file__),
                    mutation.lines,
                    _mutated(rebuilt, code, domain, operator),
                )
    for name, function in careless(versions):
        answer = partial(function, compute=compute)
        yield Mutant(f"signature: {name}", "", (), lambda answer=answer: answer)


def source_files(operator: str, domain: str) -> tuple[str, ...]:
    """The files in which the code of an operator's mutants stands."""
    names = list(_by_module(registrations_of(operator, domain)))
    names += sorted({helper for name in names for helper in helpers_of(name)})
    return tuple(str(module.__file__) for module in modules(names))


def _by_module(entries: Sequence[Registration]) -> dict[str, list[Registration]]:
    found: dict[str, list[Registration]] = {}
    for entry in entries:
        found.setdefault(entry.function.__module__, []).append(entry)
    return found


def _innermost(function: Any) -> Any:  # noqa: ANN401  a function, perhaps wrapped
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _mutated(
    rebuilt: Sequence[ModuleType], code: CodeType, domain: str, operator: str
) -> Callable[[], Callable[[Call], Result]]:
    """Runs changed source, and what imports from it, as modules of the same names, unseen.

    Args:
        rebuilt: the modules, the changed one first, the oracle's last.
        code: of the first, with the change.
        domain: of the operator that is to be answered.
        operator: its name.
    """

    def make() -> Callable[[Call], Result]:
        copy = _copied(rebuilt, code)
        entries = [
            entry
            for member in list(vars(copy).values())
            for entry in getattr(member, _REGISTRATIONS, ())
            if (entry.domain, entry.operator) == (domain, operator)
            # What the copy imports from other oracles is registered there.
            and entry.function.__module__ == copy.__name__
        ]

        def answer(call: Call) -> Result:
            for entry in entries:
                if entry.first <= call.since_version and (
                    entry.last is None or call.since_version <= entry.last
                ):
                    return entry.function(call)
            raise LookupError(f"{operator}-{call.since_version} is not registered")

        return answer

    return make


def _copied(rebuilt: Sequence[ModuleType], code: CodeType) -> ModuleType:
    """The last of the modules, run anew on the first one's changed code."""
    copy = rebuilt[-1]
    try:
        for module in rebuilt:
            copy = types.ModuleType(module.__name__)
            copy.__file__ = module.__file__
            copy.__package__ = module.__package__
            sys.modules[module.__name__] = copy  # where those behind it import from
            unchanged = _compiled(str(module.__file__))
            exec(code if module is rebuilt[0] else unchanged, copy.__dict__)  # noqa: S102  our own
    finally:
        sys.modules.update({module.__name__: module for module in rebuilt})
    return copy


@cache
def _compiled(file: str) -> CodeType:
    return compile(Path(file).read_text(encoding="utf-8"), file, "exec")
