"""What a vector asks of a runtime, as far as a manifest tells it: no vector is opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Vector

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.listing.model import Facts

DYNAMIC_SHAPES = "dynamic-shapes"
SUBGRAPHS = "subgraphs"
FUNCTIONS = "functions"
SEQUENCES = "sequences"
STRINGS = "strings"
TRAINING = "training"
#: What a profile can claim beside operators, types and forms, and what each means.
FEATURES = {
    DYNAMIC_SHAPES: "models that leave dimensions or ranks open, or that run on several shapes",
    SUBGRAPHS: "operators with a graph as attribute, and models that have the operator in one",
    FUNCTIONS: "models with functions of their own",
    SEQUENCES: "sequences, optionals and maps",
    STRINGS: "tensors of strings",
    TRAINING: "operators of ai.onnx.preview.training; BatchNormalization and Dropout that train",
}
_FORM_FEATURES = {
    **dict.fromkeys(
        ("symbolic", "anonymous", "unknown_rank", "overridden_dims", "data_sets", "same_value"),
        DYNAMIC_SHAPES,
    ),
    "data_sets_initializer": DYNAMIC_SHAPES,
    **dict.fromkeys(("if_branch", "loop_body", "loop_carried"), SUBGRAPHS),
    **dict.fromkeys(
        ("function", "function_defaults", "function_overrides", "function_twice"), FUNCTIONS
    ),
    **dict.fromkeys(("through_sequence", "through_optional"), SEQUENCES),
}
_WITH_GRAPHS = frozenset(("if", "loop", "scan", "sequencemap", "ai.onnx.preview.flexattention"))
_TRAINING_DOMAIN = "ai.onnx.preview.training."
# What a manifest says of a vector that trains, of operators that usually do not.
_TRAINING_REQUIREMENTS = {
    "batchnormalization": frozenset(("by-statistics-of-the-batch", "running-statistics")),
    "dropout": frozenset(
        ("zero-or-scaled", "dropped-or-scaled", "ratio-0-drops-nothing", "seed-of-the-generator")
    ),
}
_CONTAINERS = frozenset(("seq", "optional", "map"))
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Needs:
    """What a vector asks of a runtime.

    Attributes:
        operator: with its domain, unless that is ONNX's own, as in `ai.onnx.ml.Scaler`.
        since_version: the operator version.
        opset: what the model imports of the operator's domain.
        form: how the model presents the case.
        types: element type of each type variable; containers as in `seq(float32)`.
        covers: ids of the requirements that it exercises.
    """

    operator: str
    since_version: int
    opset: int
    form: str
    types: Mapping[str, str]
    covers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The operator in lower case: names are compared so."""
        return self.operator.lower()

    @property
    def own_domain(self) -> bool:
        """Whether its opset is one of ONNX's own domain."""
        return not self.key.startswith("ai.onnx.")


def needs_of(vector: Facts | Vector) -> Needs:
    """What a vector needs, from its line in a manifest or from its metadata."""
    operator = f"{vector.domain}.{vector.operator}" if vector.domain else vector.operator
    return Needs(
        operator, vector.since_version, vector.opset, vector.form, vector.types, vector.covers
    )


def features_of(needs: Needs) -> frozenset[str]:
    """The features that a vector needs; a subset of `FEATURES`."""
    found = set()
    if needs.form in _FORM_FEATURES:
        found.add(_FORM_FEATURES[needs.form])
    for text in needs.types.values():
        words = words_of_type(text)
        if not _CONTAINERS.isdisjoint(words):
            found.add(SEQUENCES)
        if "string" in words:
            found.add(STRINGS)
    key = needs.key
    if key in _WITH_GRAPHS:
        found.add(SUBGRAPHS)
    if key.startswith(_TRAINING_DOMAIN) or not _TRAINING_REQUIREMENTS.get(
        key, frozenset()
    ).isdisjoint(needs.covers):
        found.add(TRAINING)
    return frozenset(found)


def element_types_in(text: str) -> tuple[str, ...]:
    """The element types in the type of a value: `map(string,float32)` has two."""
    return tuple(word for word in words_of_type(text) if word not in _CONTAINERS)


@lru_cache(maxsize=1024)  # a corpus has a hundred texts and forty thousand vectors
def words_of_type(text: str) -> tuple[str, ...]:
    """The words of a type: `seq(float32)` has `seq` and `float32`."""
    return tuple(_WORD.findall(text))
