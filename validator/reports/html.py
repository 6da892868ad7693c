"""The page: one HTML file without network access, readable without scripts.

Without scripts it has the counts, the map and the failures by case; the script adds each vector.
Text from a runtime never becomes markup: it is escaped, and the page's policy (CSP) permits only
our own script.

This module has more than 400 lines because the parts of the page share one context, the template's.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import joined, source_of, words_of
from onnx_conformance.core.text import one_line, quantity, visible

from ..gate.marks import gate_words, red_groups, remark_of
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message, verdict_words
from . import payload
from .facts.accuracy import explanation, table_lines, words
from .facts.completeness import gaps, notes
from .facts.failing_cases import failing_cases
from .facts.overview import overview
from .facts.provenance import provenance
from .facts.tally import (
    CRASHED,
    FAIL,
    FAILING,
    GROUPS,
    INCONCLUSIVE,
    LATITUDE,
    PASS,
    UNJUDGED,
    UNSUPPORTED,
    shown_groups,
    total_tally,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import jinja2
    from markupsafe import Markup

    from onnx_conformance.core.corpus.requirements import Requirements

    from ..gate.marks import Mark, Marks
    from ..results.records import Results
    from .facts.failing_cases import BackendFailure, FailingCase
    from .facts.overview import Overview, Tile
    from .facts.tally import Group, OperatorVersion, Tally

TEMPLATES = Path(__file__).parent / "templates"

# Glyphs of the map: every monospaced font has them, so that tiles keep their width. Letters are the
# classes of the style sheet: a capital if all vectors of a tile are in the group.
GLYPHS = {
    PASS.name: ("·", "p"),
    FAIL.name: ("×", "f"),  # noqa: RUF001  the sign that is meant
    CRASHED.name: ("!", "c"),
    UNJUDGED.name: ("¬", "j"),
    INCONCLUSIVE.name: ("?", "i"),
    UNSUPPORTED.name: ("–", "u"),  # noqa: RUF001  the sign that is meant
    LATITUDE.name: ("~", "l"),
}
_NO_TILE = ("\u00a0", "n")
_GROUP_NAMES = tuple(group.name for group in GROUPS)
_FAILING_NAMES = tuple(group.name for group in FAILING)

# Cases written out for readers without scripts; the others are counted, and in the data.
CASES_SHOWN = 300
BACKENDS_SHOWN = 6
IDS_SHOWN = 12
# As there may be a thousand cases on a page; the map and the search lead to the others.
CASE_IDS_SHOWN = 5
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
    files: payload.Files | None = None,
) -> str:
    """The page.

    Args:
        results: one for each backend, in the order of the columns.
        marks: the gate's marks by backend, if there was a gate.
        made_with: `environment()`, if many pages are to be made.
        site: further content for the page of one operator that is part of a site.
        files: paths beside the page, by id: of the `model`, and of `scripts` by backend.
    """
    from markupsafe import Markup

    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    context = {
        **_context(results, marks or {}, files or {}),
        "site": site,
        # Our own files, and base64: they contain no plain text from a results file.
        "style": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    template = (made_with or environment()).get_template("page.html.j2")
    return template.render(context) + "\n"


def _context(
    results: Sequence[Results], marks: Mapping[str, Marks], files: payload.Files
) -> dict[str, Any]:
    view = overview(results)
    tallies = [total_tally(item) for item in results]
    groups = shown_groups(tallies)
    requirements = joined(item.header.requirements for item in results)
    cases = failing_cases(results, marks)
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
        "rows": _map_rows(results, view),
        "count_columns": groups if len(results) == 1 else (),
        "gates": [
            _gate(item, marks[item.header.backend])
            for item in results
            if item.header.backend in marks
        ],
        "cases": [_case(results, requirements, case, marks) for case in cases[:CASES_SHOWN]],
        "cases_total": len(cases),
        "failing_total": sum(tally.of(group) for tally in tallies for group in FAILING),
        "index": payload.packed(_index(results, view, groups, requirements)),
        "chunks": [
            payload.packed(chunk) for _, chunk in payload.chunks(results, view, marks, files)
        ],
    }


def _title(results: Sequence[Results]) -> str:
    names = [item.header.backend for item in results]
    shown = ", ".join(one_line(name, 40) for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def _lede(results: Sequence[Results], view: Overview) -> str:
    parts = [
        quantity(len(results), "backend"),
        quantity(len(view.places), "vector"),
        quantity(len(view.versions), "operator version"),
        quantity(len(view.types), "element type"),
    ]
    return " · ".join(parts)


def legend_of(results: Sequence[Results]) -> list[dict[str, Any]]:
    """The columns that are shown, with their symbols and meanings."""
    return [_legend(group) for group in shown_groups([total_tally(item) for item in results])]


def _legend(group: Group) -> dict[str, Any]:
    glyph, letter = GLYPHS[group.name]
    return {
        "name": group.name,
        "glyph": glyph,
        "letter": letter,
        "whole": letter.upper(),
        "meaning": group.meaning,
    }


def _backend(results: Results, tally: Tally, groups: Sequence[Group]) -> dict[str, Any]:
    header = results.header
    version = one_line(str(header.describe.get("version", "")), 60)
    total = tally.total or 1
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
                "percent": f"{100 * tally.of(group) / total:.3f}",
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
        "green": not red and not gaps(results),
        "words": gate_words(marks),
        "remark": one_line(remark_of(marks), 400),
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


# --- the map --------------------------------------------------------------------------------


def _map_rows(results: Sequence[Results], view: Overview) -> list[dict[str, Any]]:
    from markupsafe import Markup

    rows = []
    for _, versions in groupby(view.versions, key=lambda version: version.operator):
        for number, version in enumerate(versions):
            cells = [_map_cell(view, backend, version) for backend in range(len(results))]
            counts = view.counts.get((0, version), Counter())
            rows.append(
                {
                    "name": str(version),
                    "first": number == 0,
                    "cells": Markup("").join(map(drawn_cell, cells)),
                    "counts": counts if len(results) == 1 else None,
                    "total": counts.total(),
                }
            )
    return rows


def _map_cell(view: Overview, backend: int, version: OperatorVersion) -> dict[str, Any]:
    counts = view.counts.get((backend, version))
    if counts is None:
        return {"tiles": "", "label": "not planned", "failing": 0}
    return strip([view.tiles.get((backend, version, name)) for name in view.types], counts)


def strip(tiles: Iterable[Tile | None], counts: Mapping[str, int]) -> dict[str, Any]:
    """A cell of a map: its tiles as markup, and all their counts in words."""
    number_of = counts.get
    words = ", ".join(f"{number_of(name):,} {name}" for name in _GROUP_NAMES if number_of(name))
    return {
        "tiles": _drawn(tuple(tiles)),
        "label": f"{words} of {sum(counts.values()):,}",
        "failing": sum(number_of(name, 0) for name in _FAILING_NAMES),
    }


def drawn_cell(cell: Mapping[str, Any]) -> Markup:
    """A cell of a map as markup; `worst` is the vector that its number leads to, if it has one.

    Not by the template: a large site has a hundred thousand cells.
    """
    from markupsafe import Markup, escape

    start = f'<td aria-label="{cell["label"]}">'
    if not cell["tiles"]:
        return Markup(f"{start}</td>")  # noqa: S704  numbers and names of groups
    failing = str(cell["failing"] or "")
    if failing and cell.get("worst"):
        link = escape(visible(cell["worst"]))
        failing = f'<a href="#vector/{link}">{failing}<span class="sr"> fail</span></a>'
    number = f"<b>{failing}</b>" if failing else ""
    tiles = f'<span class="s" aria-hidden="true">{cell["tiles"]}</span>'
    return Markup(f"{start}{tiles}{number}</td>")  # noqa: S704


@lru_cache(maxsize=4096)
def _drawn(tiles: tuple[Tile | None, ...]) -> Markup:
    """Tiles as markup, equal neighbours joined; signs and letters are our own."""
    from markupsafe import Markup

    runs = []
    for tile, alike in groupby(tiles):
        length = len(list(alike))
        glyph, letter = _NO_TILE if tile is None else GLYPHS[tile.group.name]
        letter = letter.upper() if tile is not None and tile.whole else letter
        runs.append(f'<i class="{letter} w{length}">{glyph * length}</i>')
    return Markup("".join(runs))  # noqa: S704


# --- failures by case -----------------------------------------------------------------------


def _case(
    results: Sequence[Results],
    requirements: Requirements,
    case: FailingCase,
    marks: Mapping[str, Marks],
) -> dict[str, Any]:
    glyph, letter = GLYPHS[case.worst.name]
    shown = case.failures[:BACKENDS_SHOWN]
    example = shown[0].rows[0]
    return {
        "operator": case.operator,
        "versions": [version.since_version for version in case.versions],
        "case": case.case,
        "glyph": glyph,
        "letter": letter.upper(),
        "worst": case.worst.name,
        "requirements": [_requirement(requirements, case.operator, item) for item in case.covers],
        "backends": [_failure(results, failure, marks) for failure in shown],
        "more_backends": len(case.failures) - len(shown),
        "vectors": len({row.id for failure in case.failures for row in failure.rows}),
        "example": example.id,
        "model": visible(str(example.details.get("model") or "")),
        "inputs": payload.input_lines(example.details.get("inputs")),
    }


def _requirement(requirements: Requirements, operator: str, name: str) -> dict[str, Any]:
    words = words_of(requirements, operator, name)
    return {
        "id": visible(name),
        "text": visible(str(words.get("text", ""))),
        "source": visible(source_of(words, " · ")),
        "url": payload.safe_link(words.get("url")),
    }


def _failure(
    results: Sequence[Results], failure: BackendFailure, marks: Mapping[str, Marks]
) -> dict[str, Any]:
    header = results[failure.backend].header
    row = failure.rows[0]
    return {
        "name": one_line(header.backend, 80),
        "groups": [
            {"letter": GLYPHS[name][1].upper(), "glyph": GLYPHS[name][0], "name": name, "n": number}
            for name, number in failure.groups.items()
        ],
        "known": failure.known,
        "total": len(failure.rows),
        "verdict": verdict_words(row.verdict, row.phase),
        "message": verdict_and_message(row.verdict, row.phase, row.message)[1],
        "expected": "" if payload.repeats_message(row) else payload.value_text(row.expected),
        "got": "" if payload.repeats_message(row) else payload.value_text(row.got),
        "difference": payload.value_text(row.details.get("difference")),
        "mark": _mark(marks.get(header.backend, {}).get(row.id)),
        "id": row.id,
        "command": reproducing_command(header, row.id),
        "ids": [item.id for item in failure.rows[1 : 1 + CASE_IDS_SHOWN]],
        "more_ids": max(0, len(failure.rows) - 1 - CASE_IDS_SHOWN),
    }


def _mark(mark: Mark | None) -> dict[str, str]:
    if mark is None:
        return {}
    return {"where": "", "link": "", "reason": "", **payload.mark_facts(mark)}


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
                name: _requirement(requirements, operator, name)
                for name in (words if isinstance(words, dict) else {})
            }
            for operator, words in requirements.items()
        },
    }
