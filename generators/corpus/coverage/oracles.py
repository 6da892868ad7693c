"""Which requirements each oracle function implements, and whether cases exercise them.

A function is registered for versions of an operator, and a requirement holds from one version to
another: a function implements the requirements that hold at its versions. The following are gaps: a
version without a function, or with two; a function that no version uses; a function whose
requirements no vector exercises at its versions; and two functions with a boundary between them
where no requirement begins or ends, so that the spec does not say what changed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

from ...oracle.registry import Registration, registrations_of
from ...specs.model import Spec
from ...specs.statements import Requirement

if TYPE_CHECKING:
    from ...planning.plans import Plan


@dataclass(frozen=True)
class Implemented:
    """A registered function and the requirements that it implements.

    Attributes:
        registration: the function and its versions.
        versions: the versions of the spec that it is registered for.
        requirements: the requirements that hold at one of them.
        vectors: by id of the requirement, how many vectors exercise it at one of these versions.
    """

    registration: Registration
    versions: tuple[int, ...]
    requirements: tuple[Requirement, ...]
    vectors: dict[str, int]

    @property
    def name(self) -> str:
        """The function with its module: `selecting.where`."""
        function = self.registration.function
        return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def names(spec: Spec, attribute: str) -> bool:
    """Whether the module of one of an operator's functions has the name of an attribute."""
    try:
        modules = {
            item.function.__module__
            for item in registrations_of(spec.operator, spec.domain, spec.package)
        }
    except BadInputError:
        return False
    sources = (inspect.getsource(sys.modules[name]) for name in modules)
    return any(f'"{attribute}"' in text for text in sources)


def implemented(spec: Spec, planned: Sequence[Plan]) -> tuple[Implemented, ...]:
    """Each function of an operator, the oldest versions first; empty without an oracle."""
    try:
        found = registrations_of(spec.operator, spec.domain, spec.package)
    except BadInputError:
        return ()
    return tuple(
        _implemented(spec, planned, item) for item in sorted(found, key=lambda item: item.first)
    )


def _implemented(spec: Spec, planned: Sequence[Plan], registration: Registration) -> Implemented:
    versions = tuple(number for number in spec.versions if registration.answers(number))
    requirements = tuple(
        item for item in spec.requirements.values() if any(map(item.holds_at, versions))
    )
    vectors = dict.fromkeys((item.id for item in requirements), 0)
    for plan in planned:
        if plan.version.since_version in versions:
            for name in plan.case.covers:
                if name in vectors:
                    vectors[name] += 1
    return Implemented(registration, versions, requirements, vectors)


def oracle_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """A line for each function without a requirement, and each version without a function."""
    functions = implemented(spec, planned)
    if not functions:
        yield f"{spec.path}: {spec.operator} has no oracle"
        return
    for number in spec.versions:
        answering = [item.name for item in functions if number in item.versions]
        if len(answering) != 1:
            found = " and ".join(answering) or "no function"
            yield f"{spec.path}: {spec.operator}-{number} is answered by {found} of the oracle"
    for item in functions:
        yield from _function_gaps(spec, item)
    asked = [item for item in functions if item.versions]
    for older, newer in pairwise(asked):
        last, first = max(older.versions), min(newer.versions)
        if last < first and not any(
            item.holds_at(last) != item.holds_at(first) for item in spec.requirements.values()
        ):
            yield (
                f"{spec.path}: the oracle changes from {older.name} to {newer.name} at"
                f" {spec.operator}-{first}, and no requirement begins or ends there: state what"
                " changed"
            )


def _function_gaps(spec: Spec, item: Implemented) -> Iterator[str]:
    where = f"{spec.path}: {item.name} of the oracle"
    if not item.versions:
        yield f"{where} answers for no version of {spec.operator}; correct its `versions`"
        return
    covered = {name for case in spec.cases.values() for name in case.covers}
    for requirement in item.requirements:
        if requirement.id in covered and not item.vectors[requirement.id]:
            yield (
                f"{where} implements requirement '{requirement.id}', and no vector exercises it at"
                f" {_versions(spec, item)}"
            )
    if not item.requirements:
        yield f"{where} implements no requirement: none holds at {_versions(spec, item)}"


def _versions(spec: Spec, item: Implemented) -> str:
    return ", ".join(f"{spec.operator}-{number}" for number in item.versions)
