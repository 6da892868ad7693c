"""RegexFullMatch: whether strings match a regular expression whole. Source: its page, and RE2's."""

from __future__ import annotations

from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .encoding import strings
from .re2_parsing import PatternError, parse

_FROM_THE_FRONT = frozenset({0})


@oracle("RegexFullMatch")
def regex_full_match(call: Call) -> Result:
    """For each string whether all of it matches; InvalidCallError for what RE2 does not read."""
    grid = strings(call, "X")
    if "pattern" not in call.attributes:
        refuse_if_chosen(call, "no-pattern", "empty-pattern")
    try:
        node = parse(call.string_attribute("pattern", ""))
    except PatternError as error:
        raise InvalidCallError(str(error)) from None
    return (grid.map(lambda text: len(text) in node.ends(text, _FROM_THE_FRONT), type="bool"),)
