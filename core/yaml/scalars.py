"""The value of a plain scalar of YAML: the part on which all versions of YAML agree.

Each form that some parser would silently read as something else is an explicit error.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

LONGEST_NUMBER = 64

Scalar: TypeAlias = str | int | float | bool | None

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+][0-9]+)?")
_SPECIAL_FLOATS = {".nan": math.nan, ".inf": math.inf, "-.inf": -math.inf}
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "": None}

# Plain scalars that YAML 1.1, YAML 1.2 and PyYAML read differently, or that do not mean what they
# seem to mean; each with what to write instead.
_TRAPS = tuple(
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in (
        (r"yes|no|on|off", "a boolean to some parsers; write true or false, or quote the word"),
        (r"true|false", "written true or false, in lower case"),
        (r"null|~", "written null, in lower case"),
        (r"[-+]?\.?nan", "not a number in every parser; write .nan, or quote the word"),
        (r"[-+]?\.?inf(inity)?", "not a number in every parser; write .inf or -.inf, or quote it"),
        (r"-0", "the integer 0; write 0, or -0.0 for the float"),
        (r"\+[0-9.].*", "not canonical; leave the + out"),
        (r"[-+]?0[0-7_]+", "octal to some parsers; leave the leading 0 out, or quote it"),
        (r"[-+]?0[0-9_]+(\.[0-9]*)?", "not canonical; leave the leading 0 out, or quote it"),
        (r"[-+]?0[xob][0-9a-f_]+", "a number to some parsers; write it in decimal, or quote it"),
        (r"[-+]?[0-9][0-9_]*_[0-9_.]*", "a number to some parsers; leave the _ out, or quote it"),
        (
            r"[-+]?([0-9]+\.?|[0-9]*\.[0-9]+)(e[-+]?[0-9]+)",
            "a text to some parsers; write it as 1.0e+3, or quote it",
        ),
        (r"[-+]?([0-9]+\.|\.[0-9]+)", "not canonical; write a digit on both sides of the point"),
        (r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?", "a number to base 60 to some parsers; quote it"),
        (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?", "a date to some parsers; quote it"),
        (r"=", "a value of its own to some parsers; quote it"),
    )
)

_SUSPECT = re.compile(r"[-+.~=0-9]|yes|no|on|off|true|false|null|nan|inf", re.IGNORECASE)


def scalar_of(text: str) -> Scalar:
    """The value of a plain scalar; ValueError says what is ambiguous and what to write."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[text]
    if _INTEGER.fullmatch(text) and text != "-0":
        if len(text) > LONGEST_NUMBER:
            raise ValueError(f"'{text[:20]}...' has more than {LONGEST_NUMBER} digits")
        return int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"'{text[:60]}' is beyond float64; write .inf or -.inf")
        return value
    if len(text) > LONGEST_NUMBER or not _SUSPECT.match(text):
        return text
    for pattern, advice in _TRAPS:
        if pattern.fullmatch(text):
            raise ValueError(f"'{text[:60]}' is {advice}")
    return text
