"""The certificate: what was found for exactly one model and one runtime, and what it does not say.

It is the report without what changes from machine to machine: the same model, runtime and vectors
give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .facts import MODEL_REPORT_FORMAT

_LIMITS = (
    "A result passes if it is exact, or within the limits that are computed beside each expected"
    " value from the exact result (profile ieee, docs/tolerance.md), and latitude passes if it is"
    " one of the results that the operator's document permits."
)
_SAYS = (
    (
        "Each use of the model was judged by vectors that were cut from it, with its own operator"
        " versions, attributes, stored constants and element types, and where it says so with"
        " smaller shapes than its own."
    ),
    _LIMITS,
    (
        "It says nothing of other values than those that were fed, of other shapes, of speed, of"
        " memory, of other builds or settings of the runtime, or of other hardware."
    ),
    (
        "It does not say that the outputs of the model are useful, or near to those of the program"
        " that the model was exported from."
    ),
    (
        "Of a node that is too large for exact numbers some elements were compared, always the same"
        " ones: it does not say that the others are right."
    ),
    (
        "A use that is not covered was not judged at all. Nodes that a runtime fuses were judged"
        " one by one; what fusing does to the model as a whole is said as far as it was run."
    ),
)


def certificate_of(document: dict[str, Any], beside: Mapping[str, str]) -> dict[str, Any]:
    """The certificate, from the report of one model on one runtime that was judged in one go.

    Args:
        document: the report.
        beside: the SHA-256 of each file with data beside the model, by its name.
    """
    return {
        "certificate": MODEL_REPORT_FORMAT,
        "says": list(_SAYS),
        "limits": "ieee",
        **document,
        "model": {**document["model"], "external_sha256": dict(sorted(beside.items()))},
    }
