r"""Regular expressions of RE2 read into their parts.

Source: RE2's page on its syntax (google/re2, wiki, Syntax), for what is supported and what is not;
and its limit of 1000 repetitions. What that page lists as not supported, or does not list, is an
error. Of scripts (`\p{Greek}`) the plain letters of a few are known, so cases hold no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .re2_letters import CATEGORIES, GREATEST, PERL, POSIX, SCRIPTS, Letters
from .re2_nodes import AnyByte, Choice, Node, OneOf, Place, Repeat, Row

MOST_COPIES = 1000
_BRACES = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_NAMED = re.compile(r"\?P?<(\w+)>")
_FLAGS = re.compile(r"\?([imsU]*)(-([imsU]+))?([:)])")
_POSIX_CLASS = re.compile(r"\[:(\^?)(\w+):\]")
_PROPERTY = re.compile(r"([pP])(?:\{(\^?)(\w+)\}|([A-Z]))")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_NAMED_LETTERS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PLACES = {"A": "begin", "z": "end", "b": "boundary", "B": "no-boundary"}


class PatternError(Exception):
    """The text is no regular expression of RE2."""


@dataclass(frozen=True)
class _Flags:
    """What `(?ims)` sets; U has no bearing on a match of the whole text."""

    #: Letters match in either case.
    i: bool = False
    #: `^` and `$` match at the ends of each line.
    m: bool = False
    #: `.` matches a newline too.
    s: bool = False
    #: Repetitions are short by preference.
    U: bool = False


def parse(text: str) -> Node:
    """The parts of a regular expression; PatternError where it is none of RE2."""
    reader = _Reader(text)
    node, _ = reader.choice(_Flags())
    if reader.place < len(text):
        raise PatternError(f"unexpected ) in {text!r}")
    if node.copies() > MOST_COPIES:
        raise PatternError(f"more than {MOST_COPIES} repetitions in {text!r}")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.place = 0

    # --- the text ---

    def _at(self, piece: str) -> bool:
        return self._text.startswith(piece, self.place)

    def _take(self, piece: str) -> bool:
        if not self._at(piece):
            return False
        self.place += len(piece)
        return True

    def _next(self, missing: str) -> str:
        if self.place == len(self._text):
            raise self._fault(missing)
        self.place += 1
        return self._text[self.place - 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self.place)
        if found:
            self.place = found.end()
        return found

    def _fault(self, what: str) -> PatternError:
        return PatternError(f"{what} at {self.place} of {self._text!r}")

    # --- parts ---

    def choice(self, flags: _Flags) -> tuple[Node, _Flags]:
        """Rows between bars, up to `)` or the end; and the flags that then hold."""
        row, flags = self._row(flags)
        rows = [row]
        while self._take("|"):
            row, flags = self._row(flags)
            rows.append(row)
        return (rows[0] if len(rows) == 1 else Choice(tuple(rows))), flags

    def _row(self, flags: _Flags) -> tuple[Node, _Flags]:
        parts: list[Node] = []
        while self.place < len(self._text) and not self._at("|") and not self._at(")"):
            if self._take("\\Q"):
                end = self._text.find("\\E", self.place)
                end = len(self._text) if end < 0 else end
                parts += [_letter(item, flags) for item in self._text[self.place : end]]
                self.place = end
                self._take("\\E")
            elif self._at("(?") and not self._at("(?P<") and not self._at("(?<"):
                self.place += 1
                node, flags = self._flagged(flags)
                parts += [] if node is None else [node]
            else:
                parts.append(self._atom(flags))
            if parts:  # `a(?i)*` repeats the a
                parts[-1] = self._repeated(parts[-1])
        return Row(tuple(parts)), flags

    def _repeated(self, part: Node) -> Node:
        bounds = self._repetition()
        if bounds is None:
            return part
        low, high, counted = bounds
        if low > MOST_COPIES or (high is not None and not low <= high <= MOST_COPIES):
            raise self._fault("repetitions out of range")
        self._take("?")
        if self._repetition() is not None:
            raise self._fault("a repetition of a repetition")
        return Repeat(part, low, high, counted)

    def _repetition(self) -> tuple[int, int | None, bool] | None:
        """Bounds, and whether they are numbers in braces; None where none stand here."""
        for mark, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(mark):
                return low, high, False
        found = self._match(_BRACES)
        if not found:
            return None
        low, comma, last = int(found[1]), found[2], found[3]
        return low, low if not comma else int(last) if last else None, True

    def _atom(self, flags: _Flags) -> Node:
        if self._repetition() is not None:
            raise self._fault("nothing to repeat")
        if self._take("("):
            if not self._match(_NAMED) and self._at("?"):
                raise self._fault("a group of another dialect")
            return self._closed(flags)
        if self._at("["):
            return OneOf(self._brackets(flags))
        letter = self._next("")
        return self._escape(flags) if letter == "\\" else _mark(letter, flags)

    def _closed(self, flags: _Flags) -> Node:
        """What stands in parentheses, the first of which is used; flags end with the group."""
        node, _ = self.choice(flags)
        if not self._take(")"):
            raise self._fault("missing )")
        return node

    def _flagged(self, flags: _Flags) -> tuple[Node | None, _Flags]:
        """`(?i)` gives flags for what follows, `(?i:...)` a part with its own."""
        found = self._match(_FLAGS)
        if not found:
            raise self._fault("a group of another dialect")
        on, off = found[1], found[3] or ""
        inner = replace(flags, **dict.fromkeys(on, True), **dict.fromkeys(off, False))
        if found[4] == ")":
            return None, inner
        return self._closed(inner), flags

    # --- letters ---

    def _escape(self, flags: _Flags) -> Node:
        """What follows a backslash outside brackets."""
        following = self._text[self.place : self.place + 1]
        if following in _PLACES and following:
            self.place += 1
            return Place(_PLACES[following])
        if self._take("C"):
            return AnyByte()
        letters = self._class_escape(flags)
        return OneOf(letters) if letters else _letter(self._letter_escape(), flags)

    def _class_escape(self, flags: _Flags) -> Letters | None:
        r"""`\d`, `\pL` and their like, behind the backslash; None where none stands here."""
        following = self._text[self.place : self.place + 1]
        if following and following.lower() in PERL:
            self.place += 1
            negated = following.isupper()
            return Letters(PERL[following.lower()], negated=negated, folded=flags.i)
        if following not in {"p", "P"}:
            return None
        found = self._match(_PROPERTY)
        if not found:
            raise self._fault("no name of a property")
        name = found[3] or found[4]
        negated = (found[1] == "P") != bool(found[2])
        if name == "Any":
            return Letters(((0, GREATEST),), negated=negated)
        if name in SCRIPTS:
            return Letters(SCRIPTS[name], negated=negated, folded=flags.i)
        if name not in CATEGORIES:
            raise self._fault(f"unknown property {name}")
        return Letters(categories=(name,), negated=negated, folded=flags.i)

    def _letter_escape(self) -> str:
        """A single character behind a backslash."""
        found = self._match(_HEX)
        if found:
            code = int(found[1] or found[2], 16)
            if code > GREATEST:
                raise self._fault("beyond the last character")
            return chr(code)
        octal = self._match(_OCTAL)
        if octal:
            return chr(int(octal[0], 8))
        letter = self._next("a backslash at the end")
        if letter in _NAMED_LETTERS:
            return _NAMED_LETTERS[letter]
        if letter.isascii() and not letter.isalnum():
            return letter
        raise self._fault(f"unknown escape {letter}")

    def _brackets(self, flags: _Flags) -> Letters:
        """A set in brackets, the first of which stands here."""
        self.place += 1
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        inner: list[Letters] = []
        first = True
        while first or not self._take("]"):
            first = False
            if self._at("[:"):
                inner.append(self._posix(flags))
                continue
            if self._take("\\"):
                letters = self._class_escape(flags)
                if letters:
                    inner.append(letters)
                    continue
                low = self._letter_escape()
            else:
                low = self._next("missing ]")
            ranges.append((ord(low), ord(self._last(low))))
        return Letters(tuple(ranges), (), tuple(inner), negated, folded=flags.i)

    def _last(self, low: str) -> str:
        """The last character of a range, or the first where it is no range."""
        if not self._at("-") or self._at("-]"):
            return low
        self.place += 1
        high = self._letter_escape() if self._take("\\") else self._next("missing ]")
        if high < low:
            raise self._fault("a range from its end")
        return high

    def _posix(self, flags: _Flags) -> Letters:
        found = self._match(_POSIX_CLASS)
        if not found or found[2] not in POSIX:
            raise self._fault("unknown class")
        return Letters(POSIX[found[2]], negated=bool(found[1]), folded=flags.i)


def _mark(letter: str, flags: _Flags) -> Node:
    """A character without a backslash, outside brackets."""
    if letter == ".":
        return OneOf(Letters(() if flags.s else ((0x0A, 0x0A),), negated=True))
    if letter == "^":
        return Place("begin-line" if flags.m else "begin")
    if letter == "$":
        return Place("end-line" if flags.m else "end")
    return _letter(letter, flags)


def _letter(letter: str, flags: _Flags) -> Node:
    return OneOf(Letters(((ord(letter), ord(letter)),), folded=flags.i))
