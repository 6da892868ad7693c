"""The JSON Schema of a spec's statements: requirements, open questions, second sources."""

from __future__ import annotations

from ..specs.second_sources import SECOND_SOURCE_KINDS
from .json_schema import Schema, list_of, object_of, one_of, ref, text

_SOURCE = object_of(
    {
        "document": text("The document with its version, such as Shape-15, or a page."),
        "part": text("The part of it, such as Summary."),
    },
    ("document", "part"),
    "Where the statement stands.",
)
#: By name.
STATEMENTS: Schema = {
    "requirement": object_of(
        {
            "id": ref("requirement_id"),
            "text": text("The statement in our words: never copied."),
            "source": _SOURCE,
            "since": ref("version_number", "The first version for which it holds."),
            "until": ref("version_number", "The last version for which it holds."),
            "uncovered": text("Why no case covers it."),
            "errata": text("Changed in place: what held before, and which release changed it."),
        },
        ("id", "text", "source"),
        "One statement of the operator's document.",
    ),
    "question": object_of(
        {
            "id": ref("requirement_id", "The name by which the oracle asks."),
            "text": text("What is open, in our words."),
            "source": _SOURCE,
            "readings": {
                "type": "object",
                "additionalProperties": text(),
                "minProperties": 2,
                "description": "Why each reading is possible, by the name that the oracle uses;"
                " `rejected` permits a refusal, `anything` any value.",
            },
        },
        ("id", "text", "source", "readings"),
        "Something that the document leaves open.",
    ),
    "second_source": object_of(
        {
            "versions": list_of(ref("version_number"), "The versions that it is for.", 1),
            "kind": one_of(tuple(SECOND_SOURCE_KINDS), "What stands in for a runtime."),
            "text": text("What it is, and what it leaves out."),
            "held_by": text("The test that holds the oracle against it: tests/…/test_….py."),
        },
        ("versions", "kind", "text", "held_by"),
        "What some versions were compared with.",
    ),
    "wide": object_of(
        {
            "ids": list_of(text(), "Ids of vectors, and patterns.", 1),
            "width": {
                "anyOf": [{"type": "number", "exclusiveMinimum": 0}, text()],
                "description": "The widest range among them as a share of the largest value.",
            },
            "why": text("Why no other data and no tighter limits are to be had."),
        },
        ("ids", "width", "why"),
        "Vectors whose limits say next to nothing.",
    ),
    "permitted": object_of(
        {
            "taken": ref("case_id", "The label of the result in reports."),
            "reason": text("Why the document permits it."),
            "outputs": ref("values", "The result; without it, a rejection."),
        },
        ("taken", "reason"),
    ),
}
