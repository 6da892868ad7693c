"""The page: one HTML file without network access, readable without scripts.

Without scripts it has the counts, the map and the failures by case; the script adds each vector.
Text from a runtime never becomes markup: it is escaped, and the page's policy (CSP) permits only
our own script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import Requirements, joined
from onnx_conformance.core.text import listed, one_line, quantity, visible

from ..gate.marks import Marks, alarms_of, gate_words, red_groups, remark_of
from ..results.records import Results
from . import payload
from .facts.completeness import gaps, notes
from .facts.overview import Overview, overview
from .facts.profiles_met import explanation, table_lines, words
from .facts.provenance import provenance
from .facts.tally import FAILING, GROUPS, Group, Tally, as_seen, shown_groups, total_tally
from .page.cases import cases_shown, requirement_facts
from .page.map import map_rows
from .page.signs import GLYPHS, legend_of

if TYPE_CHECKING:
    import jinja2


TEMPLATES = Path(__file__).parent / "templates"

IDS_SHOWN = 12
RED_SHOWN = 100


def environment() -> jinja2.Environment:
    """The environment of page templates: text from a results file is never markup."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )


def _printed(value: object) -> object:
    """A value as a template writes it, before it is escaped: text of results is made visible."""
    if type(value) is str:
        return value if value.isascii() and value.isprintable() else visible(value)
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def render(
    results: Sequence[Results],
    marks: Mapping[str, Marks] | None = None,
    *,
    made_with: jinja2.Environment | None = None,
    site: Mapping[str, Any] | None = None,
    further: payload.Further | None = None,
) -> str:
    """The page.

    Args:
        results: one for each backend, in the order of the columns.
        marks: the gate's marks by backend, if there was a gate.
        made_with: `environment()`, if many pages are to be made.
        site: further content for the page of one operator that is part of a site.
        further: by id, what is shown beside a vector: `witnesses`, who agrees with it; `files`,
            paths beside the page, of the `model`, and of `scripts` by backend.
    """
    from markupsafe import Markup

    results = [as_seen(item) for item in results]
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    context = {
        **_context(results, marks or {}, further or {}),
        "site": site,
        # Our own files, and base64: they contain no plain text from a results file.
        "style": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    template = (made_with or environment()).get_template("page.html.j2")
    return template.render(context) + "\n"


def _context(
    results: Sequence[Results],
    marks: Mapping[str, Marks],
    further: payload.Further,
) -> dict[str, Any]:
    view = overview(results)
    tallies = [total_tally(item) for item in results]
    groups = shown_groups(tallies)
    requirements = joined(item.header.requirements for item in results)
    return {
        "title": _title(results),
        "lede": _lede(results, view),
        "corpus": results[0].header.corpus,
        "provenance": provenance(results),
        "backends": [
            _backend(item, tally, groups) for item, tally in zip(results, tallies, strict=True)
        ],
        "groups": legend_of(results),
        "accuracy": _accuracy(results),
        "types": view.types,
        "rows": map_rows(results, view),
        "count_columns": groups if len(results) == 1 else (),
        "gates": [
            _gate(item, marks[item.header.backend])
            for item in results
            if item.header.backend in marks
        ],
        **cases_shown(results, requirements, marks),
        "index": payload.packed(_index(results, view, groups, requirements)),
        "chunks": list(map(payload.packed, payload.chunks(results, view, marks, further))),
    }


def _title(results: Sequence[Results]) -> str:
    return listed([one_line(item.header.backend, 40) for item in results], 3)


def _lede(results: Sequence[Results], view: Overview) -> str:
    parts = [
        quantity(len(results), "backend"),
        quantity(len(view.places), "vector"),
        quantity(len(view.versions), "operator version"),
        quantity(len(view.types), "element type"),
    ]
    return " · ".join(parts)


def _backend(results: Results, tally: Tally, groups: Sequence[Group]) -> dict[str, Any]:
    header = results.header
    version = one_line(str(header.describe.get("version", "")), 60)
    return {
        "name": one_line(header.backend, 80),
        "version": "" if version in header.backend else version,
        "runtime": one_line(str(header.describe.get("name", "")), 80),
        "notes": notes(results),
        "gaps": gaps(results),
        "counts": [(group.name, tally.of(group)) for group in groups],
        "total": tally.total,
        "bar": [
            {
                "letter": GLYPHS[group.name][1],
                "count": tally.of(group),
                "name": group.name,
            }
            for group in groups
            if tally.of(group)
        ],
        "command": one_line(header.command, 1000),
        "started": one_line(header.started, 40),
        "kinds": [
            f"{number:,} {name}"
            for group in FAILING
            for name, number in tally.kinds(group)
            if name != group.name
        ],
    }


def _accuracy(results: Sequence[Results]) -> dict[str, Any]:
    """A row for each operator with limits; each cell links to the vector that decides it."""
    rows = [
        {
            "name": one_line(name, 80),
            "cells": [
                {"words": words(item), "worst": (item.worst if item else None) or ""}
                for item in found
            ],
        }
        for name, found in table_lines(results)
    ]
    return {"explanation": explanation(results), "rows": rows}


def _gate(results: Results, marks: Marks) -> dict[str, Any]:
    """The gate's outcome for a backend, with the names of vectors that turn it red."""
    red = red_groups(marks)
    return {
        "name": one_line(results.header.backend, 80),
        "green": not (red or alarms_of(marks) or gaps(results)),
        "words": gate_words(marks),
        "remark": one_line("; ".join(filter(None, (remark_of(marks), *alarms_of(marks)))), 800),
        "red": [
            {
                "outcome": group.outcome,
                "reason": group.reason,
                "ids": group.ids[:IDS_SHOWN],
                "more": max(0, len(group.ids) - IDS_SHOWN),
            }
            for group in red[:RED_SHOWN]
        ],
        "more": max(0, len(red) - RED_SHOWN),
    }


def _index(
    results: Sequence[Results],
    view: Overview,
    groups: Sequence[Group],
    requirements: Requirements,
) -> dict[str, Any]:
    return {
        **payload.index(results, view, requirements),
        "groups": {
            group.name: {"glyph": GLYPHS[group.name][0], "letter": GLYPHS[group.name][1].upper()}
            for group in GROUPS
        },
        "shown": [group.name for group in groups],
        "requirements": {
            operator: {
                name: requirement_facts(requirements, operator, name)
                for name in (words if isinstance(words, dict) else {})
            }
            for operator, words in requirements.items()
        },
    }
