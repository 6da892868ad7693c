"""Drafts a profile from the verdicts of a first run.

Claimed is what the runtime answered with values at least once, rightly or wrongly: an operator,
each of its versions, each element type of each type variable, a form, a feature. What it always
refused, or lost, is left out, and the draft names it with its verdicts: to leave out is the
choice of whoever knows what the runtime is meant to do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind

from .needs import FEATURES, element_types_in, features_of
from .profile import Claim, Profile, Types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .needs import Needs

# A vector with one of these was answered with values.
ANSWERED = frozenset(("pass", "wrong-count", "wrong-type", "wrong-shape", "wrong-value"))


@dataclass(frozen=True)
class Tried:
    """A vector that was run.

    Attributes:
        needs: what it asks of a runtime.
        kind: what it expects; a refused invalid vector shows nothing of what is supported.
        verdict: the judgement.
        refused: whether a pass is a permitted refusal, not a value.
    """

    needs: Needs
    kind: str
    verdict: str
    refused: bool = False

    @property
    def answered(self) -> bool:
        """Whether the runtime gave values for a model that it may run."""
        return self.kind != Kind.INVALID and self.verdict in ANSWERED and not self.refused


@dataclass(frozen=True)
class Draft:
    """A suggested profile.

    Attributes:
        profile: what to claim.
        left_out: operators that were never answered, with the verdicts of their vectors.
    """

    profile: Profile
    left_out: Mapping[str, Counter[str]] = field(default_factory=dict)


def suggested(tried: Sequence[Tried]) -> Draft:
    """The profile that vectors with verdicts suggest."""
    answered = [item.needs for item in tried if item.answered]
    types = tuple(sorted({name for needs in answered for name in _types_in(needs)}))
    claims: dict[str, Claim] = {}
    by_operator: defaultdict[str, list[Needs]] = defaultdict(list)
    for needs in answered:
        by_operator[needs.key].append(needs)
    refused = _types_without_answer(tried)
    for key in sorted(by_operator):
        of_operator = by_operator[key]
        versions = tuple(sorted({needs.since_version for needs in of_operator}))
        claims[key] = Claim(
            of_operator[0].operator,
            versions,
            _types_of(of_operator, types, refused.get(key, frozenset())),
        )
    left_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in tried:
        if item.needs.key not in claims:
            left_out[item.needs.operator][item.verdict] += 1
    opset_from, opset_to = _opsets(answered)
    profile = Profile(
        operators=claims,
        opset_from=opset_from,
        opset_to=opset_to,
        types=Types(types),
        forms=tuple(sorted({needs.form for needs in answered})),
        features=_features(answered),
    )
    return Draft(profile, dict(sorted(left_out.items())))


def _types_in(needs: Needs) -> Iterable[str]:
    return (name for text in needs.types.values() for name in element_types_in(text))


def _types_without_answer(tried: Sequence[Tried]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """By operator, the (type variable, element type) of its vectors that no answer had."""
    seen: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    known: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in tried:
        if item.kind == Kind.INVALID:
            continue
        pairs = {
            (variable, name)
            for variable, text in item.needs.types.items()
            for name in element_types_in(text)
        }
        seen[item.needs.key] |= pairs
        if item.answered:
            known[item.needs.key] |= pairs
    return {key: frozenset(pairs - known[key]) for key, pairs in seen.items()}


def _types_of(
    answered: Sequence[Needs], types: Sequence[str], refused: frozenset[tuple[str, str]]
) -> Types:
    """The types of each variable, for variables that take fewer than the profile's types."""
    narrowed = {variable for variable, name in refused if name in types}
    by_variable: dict[str, tuple[str, ...]] = {}
    for variable in sorted(narrowed):
        names = {
            name
            for needs in answered
            if variable in needs.types
            for name in element_types_in(needs.types[variable])
        }
        by_variable[variable] = tuple(sorted(names))
    return Types(by_variable=by_variable)


def _opsets(answered: Sequence[Needs]) -> tuple[int | None, int | None]:
    opsets = [needs.opset for needs in answered if needs.own_domain]
    return (min(opsets), max(opsets)) if opsets else (None, None)


def _features(answered: Sequence[Needs]) -> tuple[str, ...]:
    found = {feature for needs in answered for feature in features_of(needs)}
    return tuple(feature for feature in FEATURES if feature in found)
