"""Shards that take equally long, and the file that says which vectors each of them has.

`--shard 2/8 --by-time earlier.jsonl` plans them from the times of an earlier run. Every machine
comes to the same plan from the same file; its digest is in the results, so that shards of two plans
are never put together. `--write-plan` writes it, and `--by-time` takes such a file too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.documents import INTEGER, LIST, check, is_id, parsed, read_plain
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.limits import MANIFEST
from onnx_conformance.core.text import brief, one_line, quantity

from ...results.records import Results
from .times import equal_parts, times_of, together

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


_KIND = "onnx-conformance shards"
_FORMAT = 1
_DIGITS = 16
_BEGINS = b'{"kind":"' + _KIND.encode()


@dataclass(frozen=True)
class ShardPlan:
    """Which vectors each shard has.

    Attributes:
        parts: the ids of each shard, in order; every selected vector is in exactly one.
        seconds: what each is expected to take.
    """

    parts: tuple[tuple[str, ...], ...]
    seconds: tuple[float, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Which plan it is: of the ids in each part, whatever their order."""
        total = hashlib.sha256()
        for part in self.parts:
            total.update("\n".join(sorted(part)).encode() + b"\0")
        return total.hexdigest()[:_DIGITS]

    def to_json(self) -> dict[str, Any]:
        """The plan as its file has it."""
        return {
            "kind": _KIND,
            "format": _FORMAT,
            "digest": self.digest,
            "seconds": [round(item, 1) for item in self.seconds],
            "parts": [list(part) for part in self.parts],
        }

    def text(self) -> str:
        """The content of its file."""
        return json.dumps(self.to_json(), separators=(",", ":")) + "\n"


def plan_shards(
    path: Path, parts: int, entries: Sequence[Entry], control_of: Mapping[str, str]
) -> ShardPlan:
    """The plan that a results file leads to, or that a plan file holds.

    Args:
        path: either.
        parts: how many shards there are.
        entries: the selected vectors.
        control_of: the control of each that has one.

    Raises BadInputError for a file that is neither, and for a plan of other vectors or of another
    number of shards.
    """
    ids = [entry.id for entry in entries]
    if is_plan(path):
        plan = read_plan(path)
        _require_of(plan, path, parts, ids)
        return plan
    from ...results.file_format import read_results

    times = times_of([read_results(path)])
    found = equal_parts(together(ids, control_of), times, parts)
    return ShardPlan(tuple(found), tuple(sum(map(times.seconds, part)) for part in found))


def is_plan(path: Path) -> bool:
    """Whether a file says that it is a plan."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(_BEGINS)) == _BEGINS
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_plan(path: Path) -> ShardPlan:
    """The plan in a file; BadInputError if it is none, or contradicts itself."""
    try:
        document = parsed(read_plain(path, MANIFEST))
        check(document, {"parts": LIST, "format": INTEGER, "seconds": LIST})
        _require_plan(document)
        parts = tuple(tuple(map(_id, part)) for part in document["parts"])
        plan = ShardPlan(parts, tuple(map(float, document.get("seconds", ()))))
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is no plan of shards: {one_line(str(error), 300)}") from None
    every = [item for part in plan.parts for item in part]
    if len(set(every)) != len(every):
        twice = next(item for item in every if every.count(item) > 1)
        raise BadInputError(f"{path}: has '{one_line(twice, 200)}' in two shards")
    if document.get("digest") != plan.digest:
        raise BadInputError(f"{path}: was changed: its digest is not that of its parts")
    return plan


def _require_plan(document: Mapping[str, Any]) -> None:
    if document.get("kind") != _KIND or document.get("format") != _FORMAT:
        raise ValueError(f"does not say that it is one, of format {_FORMAT}")


def _id(value: object) -> str:
    if not isinstance(value, str) or not is_id(value):
        raise ValueError(f"{brief(value)} is no id")
    return value


def _require_of(plan: ShardPlan, path: Path, parts: int, ids: Sequence[str]) -> None:
    if len(plan.parts) != parts:
        raise BadInputError(f"{path}: plans {len(plan.parts)} shards, and --shard says {parts}")
    there = {item for part in plan.parts for item in part}
    asked = set(ids)
    if there != asked:
        odd = min(there ^ asked)
        where = "the plan has it alone" if odd in there else "the plan lacks it"
        raise BadInputError(
            f"{path}: is a plan of {quantity(len(there), 'vector')}, and {len(asked):,} are"
            f" selected, not the same ones: '{odd}', {where}; plan again with --by-time RESULTS"
        )


# --- results against a plan -----------------------------------------------------------------


def require_as_planned(plan: ShardPlan, results: Sequence[tuple[str, Results]]) -> None:
    """Raise IncompleteError unless there is each shard of a plan exactly once, with its vectors.

    Args:
        plan: what was planned.
        results: the results files by name, one for each shard.
    """
    count = len(plan.parts)
    seen: dict[str, str] = {}
    for name, item in results:
        shard = str(item.header.extra.get("shard"))
        number, _, parts = shard.partition("/")
        if not number.isdecimal() or parts != str(count) or not 1 <= int(number) <= count:
            raise IncompleteError(f"{name}: is shard {shard}, and the plan has {count} shards")
        if shard in seen:
            raise IncompleteError(f"{name}: is shard {shard}, as {seen[shard]} is")
        seen[shard] = name
        lacking = set(plan.parts[int(number) - 1]) - set(item.header.planned)
        if lacking and "profile" not in item.header.extra:  # which leaves out what is not claimed
            raise IncompleteError(
                f"{name}: was planned without {quantity(len(lacking), 'vector')} of its shard,"
                f" such as '{min(lacking)}': it is a shard of another plan"
            )
    missing = [
        f"{number}/{count}" for number in range(1, count + 1) if f"{number}/{count}" not in seen
    ]
    if missing:
        raise IncompleteError(f"no results file has {', '.join(missing)} of the plan")
