"""A page of HTML taken apart: its elements, its text, and what its scripts carry."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """The elements and the text of a page."""

    VOID = frozenset({"meta", "br", "input", "img", "link", "hr"})

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: dict[str, str] = {}
        self.unbalanced: list[str] = []
        self._script: str | None = None
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self._script = found.get("id") or ""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)

    def unpacked(self, name: str) -> Any:  # noqa: ANN401  JSON
        return json.loads(gzip.decompress(base64.b64decode(self.scripts[name])))
