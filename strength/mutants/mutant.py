"""A mutant: an oracle with one thing wrong, as a function of a call."""

from __future__ import annotations

import importlib
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import Call, Registration, Result, registrations_of

from ..interfaces import Answer, Slip
from .code import mutations, probing_code
from .helpers import all_for, helpers_of, modules, rebuilt_with
from .recorder import CachedApart, Recorder, names_of
from .signatures import signature_mutants

_REGISTRATIONS = "oracle_registrations"


@dataclass(frozen=True)
class Mutant:
    """An oracle with one thing wrong.

    Attributes:
        name: what is wrong, in one line; the same from run to run while the source is the same.
        make: gives the function that answers calls.
        number: of a change in the code, as a `Prober` has it; -1 of one of the signature.
        in_call: whether the code that is changed runs in a call; else it is a table or constant.
    """

    name: str
    make: Callable[[], Answer]
    number: int = -1
    in_call: bool = False


def all_mutants(domain: str, operator: str, compute: Answer) -> Iterator[Mutant]:
    """Every mutant of an operator, those of its code first; `compute` gives correct answers."""
    numbers = count()
    for name, source, functions in sources(domain, operator):
        rebuilt = modules(rebuilt_with(source.__name__, name))
        seen: Counter[str] = Counter()
        for mutation, code in mutations(source, functions):
            seen[mutation.text] += 1
            again = f" [{seen[mutation.text]}]" if seen[mutation.text] > 1 else ""
            yield Mutant(
                mutation.text + again,  # the same change may be made twice in a line
                _mutated(rebuilt, {source.__name__: code}, domain, operator),
                next(numbers),
                mutation.in_call,
            )
    versions = installed_signatures().versions(domain, operator)
    for name, function in signature_mutants(versions):
        yield Mutant(f"signature: {name}", partial(asking, function, compute))


def asking(function: Slip, compute: Answer) -> Answer:
    """What answers with the help of correct answers."""
    return lambda call: function(call, compute)


def sources(
    domain: str, operator: str
) -> Iterator[tuple[str, ModuleType, Sequence[Callable[..., Any]] | None]]:
    """(the oracle's module, one that is changed, where its changes begin), in a fixed order."""
    for name, registered in _by_module(registrations_of(operator, domain)).items():
        functions = list(dict.fromkeys(_innermost(entry.function) for entry in registered))
        yield name, importlib.import_module(name), functions
        yield from ((name, item, None) for item in modules(helpers_of(name)))


class Prober:
    """The oracle of an operator, which says of each call which mutants can make a difference.

    Attributes:
        recorder: what it says.
        answer: the oracle's answer, slowly.
        modules: those of the operator as they are watched, the oracle's last.
    """

    def __init__(self, domain: str, operator: str) -> None:
        """Make the modules of the operator once more, with all expressions wrapped."""
        self.recorder = Recorder()
        codes: dict[str, CodeType] = {}
        numbered = 0
        for name, source, functions in sources(domain, operator):
            code, many = probing_code(source, functions, numbered)
            codes[source.__name__] = code
            numbered += many
            last = name
        rebuilt = modules(all_for(last))
        self._caches: list[CachedApart] = []
        self.modules = copied(rebuilt, codes, names_of(self.recorder), self._set_apart)
        self.answer = answering(self.modules[-1], domain, operator)

    def _set_apart(self, copy: ModuleType) -> None:
        """Let the functions of a module that remember do so apart while nothing is noted."""
        for name, member in list(vars(copy).items()):
            if hasattr(member, "cache_parameters") and member.__module__ == copy.__name__:
                apart = CachedApart(member, self.recorder)
                self._caches.append(apart)
                setattr(copy, name, apart)

    def begin(self, seconds: float) -> None:
        """Note what makes a difference from here on; what was remembered is worked out again.

        `seconds` are for what would be otherwise.
        """
        for member in self._caches:
            member.cache_clear()
        self.recorder.begin(seconds)


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
    rebuilt: Sequence[ModuleType], codes: Mapping[str, CodeType], domain: str, operator: str
) -> Callable[[], Answer]:
    """Runs changed source, and what imports from it, as modules of the same names, unseen.

    Args:
        rebuilt: the modules, each behind those that it imports, the oracle's last.
        codes: of those that are changed, by name.
        domain: of the operator that is to be answered.
        operator: its name.
    """
    return lambda: answering(copied(rebuilt, codes, {})[-1], domain, operator)


def answering(copy: ModuleType, domain: str, operator: str) -> Answer:
    """What a copy of an oracle's module answers to the calls of an operator."""
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
                result: Result = entry.function(call)
                return result
        raise LookupError(f"{operator}-{call.since_version} is not registered")

    return answer


def copied(
    rebuilt: Sequence[ModuleType],
    codes: Mapping[str, CodeType],
    names: Mapping[str, Any],
    finish: Callable[[ModuleType], None] = lambda _: None,
) -> list[ModuleType]:
    """The modules, run anew on the changed code of some of them.

    `finish` is called with each of those before others import from it.
    """
    copies = []
    try:
        for module in rebuilt:
            copy = types.ModuleType(module.__name__)
            copy.__file__ = module.__file__
            copy.__package__ = module.__package__
            _bind(copy)  # where those behind it import it, or from it
            if module.__name__ in codes:
                vars(copy).update(names)
            unchanged = _compiled(str(module.__file__))
            exec(codes.get(module.__name__, unchanged), copy.__dict__)  # noqa: S102  our own
            if module.__name__ in codes:
                finish(copy)
            copies.append(copy)
    finally:
        for module in rebuilt:
            _bind(module)
    return copies


def _bind(module: ModuleType) -> None:
    """Let a module be the one of its name: for `import`, and for `from package import`."""
    sys.modules[module.__name__] = module
    package, _, name = module.__name__.rpartition(".")
    setattr(sys.modules[package], name, module)


@cache
def _compiled(file: str) -> CodeType:
    return compile(Path(file).read_text(encoding="utf-8"), file, "exec")
