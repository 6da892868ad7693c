"""StringNormalizer: words removed from a row of strings, and letters made great or small.

Source: the StringNormalizer page. Which letter is the other case of which depends on a locale of
the machine, says the page; on every machine it is so for those of ASCII.
"""

from __future__ import annotations

from collections.abc import Callable

from ...arith.grid import Grid
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_set
from .encoding import characters, encoded, strings
from .re2_letters import single

_CHANGES = {"LOWER": str.lower, "UPPER": str.upper, "NONE": None}


@oracle("StringNormalizer")
def string_normalizer(call: Call) -> Result:
    """The strings that are no stop words, in the case that is asked for; at least an empty one."""
    grid = strings(call, "X")
    if grid.rank not in {1, 2} or (grid.rank == 2 and grid.shape[0] != 1):
        raise InvalidCallError(f"X has shape {list(grid.shape)}, not [C] or [1, C]")
    if "locale" in call.attributes:
        refuse_if_chosen(call, "named-locale", "taken")
    change = _change(call)
    if not grid.items and call.choose("nothing-given", "empty-string", "nothing") == "nothing":
        return (grid,)
    is_stop_word = _stop_words(call)
    kept = [change(item) for item in grid.items if not is_stop_word(item)] or [b""]
    return (Grid("string", (*grid.shape[:-1], len(kept)), kept),)


def _change(call: Call) -> Callable[[bytes], bytes]:
    function = _CHANGES[word(call, "case_change_action", _CHANGES)]
    return lambda item: item if function is None else _cased(call, item, function)


def _stop_words(call: Call) -> Callable[[bytes], bool]:
    words = call.strings_attribute("stopwords", ())
    question = "is-case-sensitive-beyond-1"
    if is_set(call, "is_case_sensitive", question=question, readings=("true", "false")):
        return lambda item: item in words
    lowered = {_cased(call, word, str.lower) for word in words}
    return lambda item: _cased(call, item, str.lower) in lowered


def _cased(call: Call, item: bytes, function: Callable[[str], str]) -> bytes:
    """A string with each letter in the other case, as far as the locale knows letters."""
    text = characters(item)
    by_ascii = "".join(function(letter) if letter.isascii() else letter for letter in text)
    by_letter = "".join(single(letter, function(letter)) for letter in text)
    readings = {"ascii": by_ascii, "letter-by-letter": by_letter, "unicode": function(text)}
    if len(set(readings.values())) == 1:
        return encoded(by_ascii)
    return encoded(readings[call.choose("letters-of-the-locale", *readings)])
