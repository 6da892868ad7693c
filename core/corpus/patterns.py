"""Patterns of vector ids, as selections and baselines use them.

A pattern is matched component by component, between the slashes: `*` stands for any part of one
component, `?` for one character, `[ab]` for one of several. It matches every id that begins with
matching components: `reshape-14/*`, `reshape-14` and `*/zero_dim` need no more stars at the end.
An operator without a version stands for all of its versions: `conv`, `Conv/*`, `conv/*/float16`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, count

from ..errors import UsageError
from ..limits import ID
from ..text import brief
from ..yaml.nodes import Node

_WILDCARD = re.compile(r"[*?\[]")


def is_pattern(text: str) -> bool:
    """Whether a text has a wildcard, so that it cannot be the id of one vector."""
    return _WILDCARD.search(text) is not None


class IdIndex:
    """Vector ids, arranged so that a pattern is compared with few of them."""

    def __init__(self, ids: Iterable[str]) -> None:
        """Index the ids; their order is kept in every answer."""
        self._ids = tuple(ids)
        self._place = {item: place for place, item in enumerate(self._ids)}
        self._matched: dict[str, tuple[str, ...]] = {}
        names = (item.partition("/")[0].rpartition("-") for item in self._ids)
        self._operators = {name for name, _, version in names if version.isdecimal()}
        self._by_component: tuple[dict[str, list[str]], ...] = ({}, {})
        for item in self._ids:
            for groups, component in zip(self._by_component, item.split("/"), strict=False):
                groups.setdefault(component, []).append(item)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The ids that a pattern matches, in order."""
        pattern = pattern.lower().strip("/")
        if pattern in self._place:
            return (pattern,)
        found = self._matched.get(pattern)
        if found is None:
            # The same pattern of a baseline is looked up more than once.
            found = self._matched[pattern] = self._looked_for(pattern)
        return found

    def _looked_for(self, pattern: str) -> tuple[str, ...]:
        operator, slash, rest = pattern.partition("/")
        if operator in self._operators:
            pattern = f"{operator}-[0-9]*{slash}{rest}"
        expression = _expression(pattern)
        items = (item for item in self._candidates(pattern) if expression.match(item))
        return tuple(sorted(items, key=self._place.__getitem__))

    def _candidates(self, pattern: str) -> Iterable[str]:
        """Ids whose first component fits the pattern, or whose second does: whichever are fewer."""
        found: Sequence[Sequence[str]] = [self._ids]
        for groups, component in zip(self._by_component, pattern.split("/"), strict=False):
            if not is_pattern(component):
                fitting = [groups[component]] if component in groups else []
            elif component == "*":
                continue
            else:
                expression = _expression(component)
                fitting = [group for name, group in groups.items() if expression.match(name)]
            if sum(map(len, fitting)) < sum(map(len, found)):
                found = fitting
        return chain.from_iterable(found)

    def explain(self, pattern: str) -> str:
        """Why a pattern matches no id: its first component that fits none, and similar names."""
        remaining: Iterable[Sequence[str]] = (item.split("/") for item in self._ids)
        taken: list[str] = []
        for index, component in enumerate(pattern.lower().strip("/").split("/")):
            if index == 0 and component in self._operators:
                component = f"{component}-[0-9]*"  # noqa: PLW2901  all of its versions
            expression = _expression(component)
            names: dict[str, None] = {}
            fitting = []
            for parts in remaining:
                if index < len(parts):
                    names[parts[index]] = None
                    if expression.match(parts[index]):
                        fitting.append(parts)
            if not fitting:
                below = f" below '{'/'.join(taken)}'" if taken else ""
                return f"nothing{below} is called '{component}'{near(component, names)}"
            remaining = fitting
            taken.append(component)
        return "nothing fits"


def near(word: str, known: Iterable[str], most: int = 8) -> str:
    """Names to suggest when `word` is unknown: similar ones, or a few of them all."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.6)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    shown = ", ".join(names[:most])
    return f"; there are {shown}{' ...' if len(names) > most else ''}" if names else ""


class PatternError(UsageError):
    """A pattern that can match nothing."""


def check_pattern(pattern: str) -> None:
    """Raise PatternError for a pattern that can match nothing, such as one with `[z-a]`."""
    _expression(pattern.lower().strip("/"))


def pattern_in(node: Node) -> str:
    """The id or pattern that a scalar of a YAML file is; BadInputError with its line if none is."""
    text = node.string()
    try:
        check_pattern(text)
    except UsageError as error:
        raise node.error(str(error)) from None
    return text


@lru_cache(maxsize=1 << 14)  # a baseline checks its patterns before they are matched
def _expression(pattern: str) -> re.Pattern[str]:
    if len(pattern) > ID:
        raise PatternError(
            f"{brief(pattern, 60)} has {len(pattern):,} characters; an id has at most {ID}"
        )
    groups = count()
    try:
        components = [_component(part, groups) for part in pattern.split("/")]
        return re.compile("/".join(components) + r"(?:/|\Z)")
    except re.error as error:
        raise PatternError(
            f"{brief(pattern)} is no pattern: {error.msg}; '*', '?' and '[ab]' stand for"
            " characters, and '[[]' for a bracket"
        ) from None


def _component(text: str, groups: Iterator[int]) -> str:
    """The regular expression of one component of a pattern.

    The text between two stars is matched at the first place where it fits, and nowhere else: a
    search that tries every place for each of many stars takes years.
    """
    first, *others = _between_stars(text)
    if not others:
        return first
    *middle, last = others
    taken = ""
    for part in middle:
        name = f"g{next(groups)}"
        taken += f"(?=(?P<{name}>[^/]*?{part}))(?P={name})"
    return f"{first}{taken}[^/]*{last}"


def _between_stars(text: str) -> list[str]:
    """The expressions of the pieces before, between and after the stars of a component."""
    parts: list[list[str]] = [[]]  # lists of pieces: appending to a long text is quadratic
    position = 0
    while position < len(text):
        character = text[position]
        end = text.find("]", position + 2) if character == "[" else -1
        if character == "*":
            if len(parts) == 1 or parts[-1]:
                parts.append([])
        elif character == "?":
            parts[-1].append("[^/]")
        elif end > 0:
            inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", text[position + 1 : end].removeprefix("!"))
            parts[-1].append(f"[{'^/' if text[position + 1] == '!' else ''}{inner}]")
            position = end
        else:
            parts[-1].append(re.escape(character))
        position += 1
    return ["".join(pieces) for pieces in parts]
