"""A badge in SVG: the counts themselves, never a percentage that hides some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from onnx_conformance.core.text import one_line

from .tally import FAILING, PASS, Group, shown_groups, total_tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results.records import Results

_HEIGHT = 20
_PADDING = 8
_LABEL = "ONNX conformance"
_GOOD, _BAD, _OPEN = "#0b6e4f", "#b3261e", "#5a5f6a"

# Advance widths of Verdana at 11 px, in tenths of a pixel, for the characters that differ most
# from the rest; `textLength` then makes every renderer agree with the computed width.
_NARROW = dict.fromkeys("ijl.,:'|! ", 37) | dict.fromkeys("frt()-·", 47)
_WIDE = dict.fromkeys("mwMW", 104) | dict.fromkeys("ABCDEGHKNOQRUVX", 79)
_WIDTHS = {**_NARROW, **_WIDE}
_USUAL = 68


def render(results: Sequence[Results], label: str = _LABEL) -> str:
    """The SVG document: `ONNX conformance | 812 pass · 3 fail · 40 unsupported`.

    Of several backends the counts are given one after the other, each with its name.
    """
    return _draw(label, message(results), _colour(results))


def message(results: Sequence[Results]) -> str:
    """What the badge says."""
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
    """Red where anything failed, green where every vector passed, grey where some were not run."""
    tallies = [total_tally(item) for item in results]

    def any_in(group: Group) -> bool:
        return any(item.of(group) for item in tallies)

    if any(map(any_in, FAILING)):
        return _BAD
    incomplete = any(item.header.extra.get("missing_shards") for item in results)
    everything = all(item.total and item.of(PASS) == item.total for item in tallies)
    return _GOOD if everything and not incomplete else _OPEN


def _draw(label: str, text: str, colour: str) -> str:
    left, right = _width(label), _width(text)
    total = left + right
    title = f"{label}: {text}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img"'
        f" aria-label={quoteattr(title)}>"
        f"<title>{escape(title)}</title>"
        f'<clipPath id="r"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)">'
        f'<rect width="{left}" height="{_HEIGHT}" fill="#3b3f46"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f"{_text(label, _PADDING, left)}{_text(text, left + _PADDING, right)}</g></svg>\n"
    )


def _text(text: str, x: int, width: int) -> str:
    length = width - 2 * _PADDING
    return f'<text x="{x}" y="14" textLength="{length}">{escape(text)}</text>'


def _width(text: str) -> int:
    return sum(_WIDTHS.get(character, _USUAL) for character in text) // 10 + 2 * _PADDING
