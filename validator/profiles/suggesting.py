"""Drafts a profile from the verdicts of a first run.

Claimed is what the runtime answered with values at least once, rightly or wrongly: an operator,
each of its versions, each element type of each type variable, a form, a feature. What it always
refused, or lost, is left out, and the draft names it with its verdicts: to leave out is the
choice of whoever knows what the runtime is meant to do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from onnx_conformance.core.corpus.vectors import Kind

from .needs import FEATURES, Needs, element_types_in, features_of
from .profile import Claim, Profile, Types

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
    answered: defaultdict[str, list[Needs]] = defaultdict(list)
    with_answer: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    asked: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in tried:
        key, types = item.needs.key, _types_in(item.needs)
        if item.kind != Kind.INVALID:
            asked[key] |= types
        if item.answered:
            answered[key].append(item.needs)
            with_answer[key] |= types
    every = {name for types in with_answer.values() for _, name in types}
    claims = {
        key: Claim(
            answered[key][0].operator,
            tuple(sorted({needs.since_version for needs in answered[key]})),
            _narrowed(with_answer[key], asked[key] - with_answer[key], every),
        )
        for key in sorted(answered)
    }
    left_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in tried:
        if item.needs.key not in claims:
            left_out[item.needs.operator][item.verdict] += 1
    needs = [item for of_operator in answered.values() for item in of_operator]
    opset_from, opset_to = _opsets(needs)
    profile = Profile(
        operators=claims,
        opset_from=opset_from,
        opset_to=opset_to,
        types=Types(tuple(sorted(every))),
        forms=tuple(sorted({item.form for item in needs})),
        features=_features(needs),
    )
    return Draft(profile, dict(sorted(left_out.items())))


def _types_in(needs: Needs) -> set[tuple[str, str]]:
    """The element types of each type variable."""
    return {
        (variable, name)
        for variable, text in needs.types.items()
        for name in element_types_in(text)
    }


def _narrowed(
    answered: AbstractSet[tuple[str, str]],
    refused: AbstractSet[tuple[str, str]],
    every: AbstractSet[str],
) -> Types:
    """The types of each variable of an operator that takes fewer than the profile's types."""
    variables = sorted({variable for variable, name in refused if name in every})
    return Types(
        by_variable={
            variable: tuple(sorted(name for item, name in answered if item == variable))
            for variable in variables
        }
    )


def _opsets(answered: Sequence[Needs]) -> tuple[int | None, int | None]:
    opsets = [needs.opset for needs in answered if needs.own_domain]
    return (min(opsets), max(opsets)) if opsets else (None, None)


def _features(answered: Sequence[Needs]) -> tuple[str, ...]:
    found = {feature for needs in answered for feature in features_of(needs)}
    return tuple(feature for feature in FEATURES if feature in found)
