"""A badge as the JSON that badge services draw: the counts themselves, never a percentage.

The document is in the format of shields.io's endpoint badge, which other services read as well. Put
the file where the service can fetch it. Source: shields.io, "Endpoint Badge".
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from onnx_conformance.core.text import one_line

from ..results.records import Results
from .facts.tally import FAILING, PASS, Group, shown_groups, total_tally

_SCHEMA_VERSION = 1
_LABEL = "ONNX conformance"
_GOOD, _BAD, _OPEN = "#0b6e4f", "#b3261e", "#5a5f6a"


def render(results: Sequence[Results], label: str = _LABEL) -> str:
    """The JSON document: its message is `812 pass · 3 fail · 40 unsupported`.

    For several backends the counts follow one another, each with the backend's name.
    """
    colour = _colour(results)
    document = {
        "schemaVersion": _SCHEMA_VERSION,
        "label": label,
        "message": message(results),
        "color": colour,
        "isError": colour == _BAD,
    }
    return json.dumps(document, indent=2) + "\n"


def message(results: Sequence[Results]) -> str:
    """The text of the badge."""
    if len(results) == 1:
        return _counts(results[0])
    return " | ".join(f"{one_line(item.header.backend, 40)}: {_counts(item)}" for item in results)


def _counts(results: Results) -> str:
    total = total_tally(results)
    parts = [
        f"{total.of(group):,} {group.name}"
        for group in shown_groups([total])
        if total.of(group) or group is PASS
    ]
    if results.header.extra.get("missing_shards"):
        parts.append("shards missing")
    return " · ".join(parts)


def _colour(results: Sequence[Results]) -> str:
    """Red if anything failed, green if every vector passed, grey if some were not run."""
    tallies = [total_tally(item) for item in results]

    def any_in(group: Group) -> bool:
        return any(item.of(group) for item in tallies)

    if any(map(any_in, FAILING)):
        return _BAD
    incomplete = any(item.header.extra.get("missing_shards") for item in results)
    everything = all(item.total and item.of(PASS) == item.total for item in tallies)
    return _GOOD if everything and not incomplete else _OPEN
