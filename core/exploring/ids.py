"""The ids of drawn calls.

An id holds all that a call is made from, `explore/conv-22/s7f3a.121`: the operator version, how it
is drawn (a letter), the seed in hexadecimal digits and the number of the call. Each further number,
as in `explore/conv-22/s7f3a.121.0.4`, names one of the simpler calls that can be made of the call
before it; `4x3` stands for three times 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from ..errors import BadInputError

PREFIX = "explore/"
#: Seeds are numbers below this one: eight hexadecimal digits.
SEEDS = 2**32
#: Calls that are drawn from one seed for one operator version, at most.
CALLS = 2**31
#: How often one call may be made simpler; each time adds a number to its id.
STEPS = 100

_ID = re.compile(
    r"explore/([a-z0-9_.]+-[0-9]+)/([a-z])([0-9a-f]{1,8})\.([0-9]{1,10})((?:\.[0-9]{1,6}(?:x[0-9]{1,3})?)*)"
)


@dataclass(frozen=True)
class ExploredId:
    """What a drawn call is made from.

    Attributes:
        subject: the operator version as in ids, `conv-22`.
        drawer: the letter of what draws it.
        seed: the number that all calls of an exploration have in common.
        index: the number of the call, from 0.
        steps: which of the simpler calls was taken, each time.
    """

    subject: str
    drawer: str
    seed: int
    index: int
    steps: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The id."""
        steps = "".join(
            f".{step}" if times == 1 else f".{step}x{times}"
            for step, times in ((step, len(list(same))) for step, same in groupby(self.steps))
        )
        return f"{PREFIX}{self.subject}/{self.drawer}{self.seed:x}.{self.index}{steps}"

    def simpler(self, number: int) -> ExploredId:
        """The id of one of the calls that are simpler than this one."""
        return replace(self, steps=(*self.steps, number))


def is_explored(vector_id: str) -> bool:
    """Whether an id is that of a drawn call, or is meant to be."""
    return vector_id.startswith(PREFIX)


def parse_id(text: str) -> ExploredId:
    """The parts of the id of a drawn call; BadInputError with an example if it is none."""
    match = _ID.fullmatch(text)
    steps = [] if match is None else _steps(match[5])
    if match is None or int(match[4]) >= CALLS or len(steps) > STEPS:
        raise BadInputError(
            f"'{text[:200]}' is no id of a drawn call; one is {PREFIX}conv-22/s7f3a.121: an"
            " operator version, a letter with a seed in hexadecimal digits, the call's number"
        )
    return ExploredId(match[1], match[2], int(match[3], 16), int(match[4]), tuple(steps))


def _steps(text: str) -> list[int]:
    """The steps in `.4.0x3`: 4, 0, 0, 0."""
    found: list[int] = []
    for part in text.split(".")[1:]:
        step, _, times = part.partition("x")
        found += [int(step)] * int(times or 1)
    return found
