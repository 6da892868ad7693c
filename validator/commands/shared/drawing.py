"""Values of the options that say what is drawn, for argparse."""

from __future__ import annotations

import argparse
import re

_SPAN = re.compile(r"([0-9]+)(s|m|h)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, None: 1}


def span(text: str) -> float:
    """A time such as 20m, in seconds."""
    match = _SPAN.fullmatch(text)
    if match is None or not int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no time above 0, such as 90s, 20m or 2h")
    return float(int(match[1]) * _UNITS[match[2]])


def drawn_count(text: str) -> int:
    """A number of calls."""
    if not text.isascii() or not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of calls above 0")
    return int(text)


def drawn_seed(text: str) -> int:
    """The seed of drawn calls, as in their ids."""
    if not re.fullmatch("[0-9a-f]{1,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not one to eight hexadecimal digits")
    return int(text, 16)
