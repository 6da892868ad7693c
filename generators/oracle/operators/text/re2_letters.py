"""Sets of characters in a regular expression of RE2.

Source: RE2's page on its syntax. Perl's classes are of ASCII, whatever the string holds: so says
that page, and so are the POSIX classes and the word boundary.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

GREATEST = 0x10FFFF
_UPPER, _LOWER, _DIGIT = (0x41, 0x5A), (0x61, 0x7A), (0x30, 0x39)
_UNDERSCORE = (0x5F, 0x5F)

PERL = {
    "d": (_DIGIT,),
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),  # without the vertical tab
    "w": (_DIGIT, _UPPER, _UNDERSCORE, _LOWER),
}
POSIX = {
    "alnum": (_DIGIT, _UPPER, _LOWER),
    "alpha": (_UPPER, _LOWER),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": (_DIGIT,),
    "graph": ((0x21, 0x7E),),
    "lower": (_LOWER,),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": (_UPPER,),
    "word": (_DIGIT, _UPPER, _UNDERSCORE, _LOWER),
    "xdigit": (_DIGIT, (0x41, 0x46), (0x61, 0x66)),
}
# Letters of which Scripts.txt of Unicode says these scripts; each script has others besides.
SCRIPTS = {
    "Cyrillic": ((0x0410, 0x044F),),
    "Greek": ((0x0391, 0x03A1), (0x03A3, 0x03C9)),
    "Han": ((0x4E00, 0x9FFF),),
    "Latin": (_UPPER, _LOWER),
}
# Unicode's general categories, by their first and their second letter.
_PARTS = {
    "C": "cfos",
    "L": "lmotu",
    "M": "cen",
    "N": "dlo",
    "P": "cdefios",
    "S": "ckmo",
    "Z": "lps",
}
CATEGORIES = frozenset(
    first + second for first, seconds in _PARTS.items() for second in ("", *seconds)
)
# Characters that fold to another one without being its only upper or lower case, by that one
# (CaseFolding.txt, status C): the Kelvin sign, the long s, the Angstrom sign, the micro sign.
_FOLDED_BESIDES = {"k": "\u212a", "s": "\u017f", "å": "\u212b", "μ": "\u00b5"}
_DOTLESS_I = "\u0131"  # its upper case is I, and it folds to nothing


@dataclass(frozen=True)
class Letters:
    """A set of characters.

    Attributes:
        ranges: code points, first and last of each range.
        categories: Unicode's general categories, whole (`L`) or in part (`Lu`).
        inner: further sets, such as a negated one inside brackets.
        negated: whether it is all but these.
        folded: whether letters stand for their other cases, too; before it is negated.
    """

    ranges: tuple[tuple[int, int], ...] = ()
    categories: tuple[str, ...] = ()
    inner: tuple[Letters, ...] = ()
    negated: bool = False
    folded: bool = False

    def holds(self, letter: str) -> bool:
        """Whether a character is in the set."""
        every = cases_of(letter) if self.folded else frozenset(letter)
        return any(self._lists(item) for item in every) != self.negated

    def _lists(self, letter: str) -> bool:
        code = ord(letter)
        return (
            any(first <= code <= last for first, last in self.ranges)
            or any(unicodedata.category(letter).startswith(name) for name in self.categories)
            or any(item.holds(letter) for item in self.inner)
        )


def cases_of(letter: str) -> frozenset[str]:
    """A character and those that fold to the same one, by simple case folding."""
    if letter == _DOTLESS_I:
        return frozenset(letter)
    upper = single(letter, letter.upper())
    folded = single(upper, upper.lower())
    return frozenset(
        (letter, folded, single(folded, folded.upper()), *_FOLDED_BESIDES.get(folded, ""))
    )


def single(letter: str, other: str) -> str:
    """The other case of a letter where it is one character, as simple folding has it."""
    return other if len(other) == 1 else letter
