"""The answer about a model as one HTML file, which needs no script and no network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx_conformance.core.text import one_line

from ..html import TEMPLATES, environment
from .facts import shown_requirements
from .words import corpus_words, notable, status_words, use_words, vector_words

_IDS = 12
_PLACES = 40
_TILES = {
    "pass": ("P", "·"),
    "fail": ("F", "×"),  # noqa: RUF001  the sign that is meant
    "unsupported": ("U", "–"),  # noqa: RUF001  the sign that is meant
    "inconclusive": ("I", "?"),
    "not covered": ("L", "○"),
    "not run": ("A", "…"),
}


def render_page(document: Mapping[str, Any]) -> str:
    """The page of a model, from what `facts.document_of` made."""
    from markupsafe import Markup

    wrong = document.get("chain", {}).get("wrong", [])
    context = {
        "document": document,
        "wrong": [{**item, "node": one_line(item["node"], 120)} for item in wrong[:_PLACES]],
        "more_wrong": max(0, len(wrong) - _PLACES),
        "corpus": corpus_words(document),
        "lines": [_line(item) for item in document["uses"]],
        "style": Markup(  # noqa: S704  our own file
            (TEMPLATES / "page.css").read_text(encoding="utf-8")
        ),
    }
    return environment().get_template("model.html.j2").render(context) + "\n"


def _line(line: Mapping[str, Any]) -> dict[str, Any]:
    requirements, more = shown_requirements(dict(line))
    return {
        **line,
        "title": use_words(line),
        "vector_words": vector_words(line),
        "notable": notable(line),
        "requirements": requirements,
        "more_requirements": more,
        "shown_places": [one_line(item, 120) for item in line["places"][:_PLACES]],
        "more_places": max(0, len(line["places"]) - _PLACES),
        "shown_ids": line["vectors"]["ids"][:_IDS],
        "more_ids": max(0, len(line["vectors"]["ids"]) - _IDS),
        "cells": [
            {
                **item,
                "text": status_words(item),
                "letter": _TILES[item["status"]][0],
                "glyph": _TILES[item["status"]][1],
            }
            for item in line["evidence"]
        ],
    }
