"""Why the data of a vector may be as plain as they are: plain.yaml beside this file.

What is all equal, or equal along an axis, is a fault only where it hides something. Three reasons
are found without a word by hand:

* the call says so itself: with whatever data it gives one value (`redrawing`);
* outputs tell, and what a plain input or axis hides, other vectors tell: no mutant that arranges
  that input or output survives them (arrangements.json);
* a rule says what the case is about:

      rules:
        - vectors: ["*/zeros*", "softmax-*/row_of_one"]
          why: one value is what the case is about
          told_by: ["softmax-13/axis_1*"]

A rule has patterns of what an id has before its variant, the reason, and where it says that others
tell what these do not, which. Each pattern must be needed, and each of `told_by` must tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from .data import Plainness
    from .record import Line

FILE = Path(__file__).with_name("plain.yaml")
# The number that a value of a variadic parameter has in a vector.
_NUMBER = re.compile(r"_\d+$")


class Reason(Enum):
    """Why data may be plain."""

    CALL = "the call gives one value whatever the data are"
    OTHERS = "other vectors tell: no mutant about it survives"
    RULE = "a rule says what the case is about"
    NONE = "without a reason"


@dataclass(frozen=True)
class Rule:
    """What cases are about whose results have one value.

    Attributes:
        vectors: patterns of ids without their variant.
        why: the reason.
        told_by: patterns of those that tell what these do not; none where nothing is hidden.
    """

    vectors: tuple[str, ...]
    why: str
    told_by: tuple[str, ...]


@dataclass(frozen=True)
class Ruled:
    """A vector with plain data, and why that is; `rule` has the words of a rule."""

    plain: Plainness
    reason: Reason
    rule: Rule | None = None


@cache
def rules(path: Path = FILE) -> tuple[Rule, ...]:
    """The rules; BadInputError for a document that has none of this form."""
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    try:
        return tuple(
            Rule(tuple(item["vectors"]), str(item["why"]), tuple(item.get("told_by", ())))
            for item in document["rules"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: needs 'rules' as its page says: {error}") from None


def ruled(
    found: Iterable[Plainness],
    record: Mapping[str, Line],
    says_so: Callable[[Plainness], bool],
    path: Path = FILE,
) -> Iterator[Ruled]:
    """Each vector with plain data, with the reason.

    Args:
        found: the vectors.
        record: what was measured of mutants that arrange, by operator.
        says_so: whether the calls of a vector give one value whatever its data are.
        path: has the rules.
    """
    for plain in found:
        if not plain.tells_nothing and not _survives(plain, record):
            yield Ruled(plain, Reason.OTHERS)
        elif plain.tells_nothing and says_so(plain):
            yield Ruled(plain, Reason.CALL)
        else:
            rule = next((it for it in rules(path) if _holds(it.vectors, plain.id)), None)
            yield Ruled(plain, Reason.RULE if rule else Reason.NONE, rule)


def _survives(plain: Plainness, record: Mapping[str, Line]) -> bool:
    """Whether a mutant survives all vectors that the plain data of this one cannot tell."""
    line = record.get(plain.operator)
    words = (*plain.inputs, *plain.outputs)
    return line is not None and any(_hides(word, it) for word in words for it in line.survived)


def _hides(word: str, mutant: str) -> bool:
    """Whether data of which a word is said cannot tell a mutant of that value."""
    name, _, said = word.partition(" is ")
    if not any(f"'{it}'" in mutant for it in (name, _NUMBER.sub("", name))):
        return False
    if said == "symmetric":
        return mutant.endswith(" reversed")
    axis = said.removeprefix("equal along ")
    return axis == said or f"{axis} " in mutant


def _holds(patterns: Iterable[str], vector_id: str) -> bool:
    case = vector_id.rpartition("/")[0]
    return any(fnmatchcase(case, pattern) for pattern in patterns)


def faults(
    found: Iterable[Ruled], ids: Iterable[str], path: Path = FILE, *, whole: bool = True
) -> Iterator[str]:
    """What is wrong with the data, or with the rules.

    Args:
        found: the vectors with plain data.
        ids: all that were looked at.
        path: has the rules.
        whole: whether all vectors were looked at, so that each rule must be needed.
    """
    items = list(found)
    for item in items:
        if item.reason is Reason.NONE:
            words = ", ".join((*item.plain.outputs, *item.plain.inputs))
            yield f"{item.plain.id}: {words}; give it other data, or say why in {path.name}"
    plain = {item.plain.id for item in items if item.plain.tells_nothing}
    telling = [name for name in ids if name not in plain]
    by_hand = [item.plain.id for item in items if item.reason is Reason.RULE]
    for rule in rules(path) if whole else ():
        for pattern in rule.vectors:
            if not any(_holds([pattern], name) for name in by_hand):
                yield f"{path.name}: no vector needs '{pattern}'; take it out"
        for pattern in rule.told_by:
            if not any(_holds([pattern], name) for name in telling):
                yield f"{path.name}: no vector that tells something is '{pattern}'"
