"""What killed each mutant last, by operator: history.json, which is committed.

A renewal tries that first on each mutant (renewing/). Nothing depends on what is said here of
kills: they are seen anew. What is said of mutants that gave the same everywhere holds as long as
the code does that they are made of.
"""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.generators.interpreter.scopes import Frame
from onnx_conformance.generators.oracle.registry import Call
from onnx_conformance.generators.oracle.subgraph import Subgraph

from ..mutants.mutant import source_files
from ..names import name_of
from ..trying.status import Finding, Status
from .record import meaning_of, module_files, vectors_by_operator

FILE = Path(__file__).with_name("history.json")
_FORMAT = 1
# The modules here that say which mutants there are, which calls beyond the corpus, and which
# answers are the same: what was equivalent under others says nothing.
_MAKING = (
    *("mutants/changes", "mutants/code", "mutants/helpers", "mutants/mutant"),
    *("mutants/signatures", "mutants/slips", "mutants/values"),
    *("trying/drawing", "trying/sampling"),
)
# What is remembered of a mutant where it is not the place of a vector.
_STATUSES = {Status.EQUIVALENT: -1, Status.SURVIVED: -2, Status.NOT_COVERED: -3}
# … and of one that does not even load.
UNLOADED = -4
_BYTES = 3


@dataclass(frozen=True)
class Kills:
    """Which vector killed which mutant.

    Attributes:
        vectors: short digests of the ids of those that killed one first.
        of: for each mutant, in their order, the place of a vector in this list, or its status.
    """

    vectors: tuple[str, ...]
    of: tuple[int, ...]

    def by(self, index: int) -> str | None:
        """The digest of the vector that killed a mutant; None where it needs none, or survived."""
        place = self.of[index]
        return self.vectors[place] if place >= 0 else None

    def status(self, index: int) -> Status:
        """What became of a mutant."""
        return next(
            (status for status, number in _STATUSES.items() if number == self.of[index]),
            Status.KILLED,
        )

    def most(self) -> list[str]:
        """The vectors, those first that killed most."""
        places = sorted(range(len(self.vectors)), key=lambda place: -self.of.count(place))
        return [self.vectors[place] for place in places]


@dataclass(frozen=True)
class History:
    """What is remembered of an operator.

    Attributes:
        code: the digest of what its mutants are made of.
        ours: what became of each before the corpus.
        steps: by short digests of the calls of the corpus that survivors were tried on, how many
            functions the oracle calls for each.
        samples: how many calls beyond it they were tried on.
        shown: further kills of requirements that the first ones do not show: (mutant, vector).
        suspicious: the requirements whose cases were seen to kill nothing.
        partly_tried: how many survivors were not tried on everything that concerns them.
        theirs: what became of each before ONNX's own node tests, whose digest is `upstream`.
    """

    code: str
    ours: Kills
    steps: Mapping[str, int]
    samples: int
    shown: tuple[tuple[int, str], ...] = ()
    suspicious: tuple[str, ...] = ()
    partly_tried: int = 0
    upstream: str = ""
    theirs: Kills | None = None


def code_of(domain: str, operator: str) -> str:
    """The digest of what an operator's mutants are made of, and the calls beyond the corpus."""
    making = module_files(_MAKING)
    sources = [Path(file) for file in source_files(operator, domain)]
    return _short("\n".join(meaning_of(path) for path in (*making, *sources)), 9)


def upstream_digests(manifest: Path) -> dict[str, str]:
    """The digests of ONNX's own node tests, by operator."""
    return {
        name_of(*operator): _short("\n".join(tests), 9)
        for operator, tests in vectors_by_operator(manifest)
    }


def kills_of(findings: Sequence[Finding]) -> Kills:
    """What is remembered of what became of mutants."""
    vectors: dict[str, int] = {}
    places = []
    for item in findings:
        if item.status is not Status.KILLED:
            places.append(_STATUSES[item.status])
        elif "/" not in item.by:
            places.append(UNLOADED)
        else:
            places.append(vectors.setdefault(vector_digest(item.by), len(vectors)))
    return Kills(tuple(vectors), tuple(places))


def vector_digest(identity: str) -> str:
    """What stands for a vector."""
    return _short(identity, _BYTES)


def call_digest(call: Call) -> str | None:
    """What stands for a call; None where it cannot be told from others from run to run."""
    text = repr(
        (
            call.since_version,
            [(name, _told(call.attributes[name])) for name in sorted(call.attributes)],
            sorted(call.inputs.items(), key=lambda item: item[0]),
            call.outputs,
        )
    )
    return None if " at 0x" in text else _short(text, _BYTES)


def _told(content: Any) -> Any:  # noqa: ANN401  any attribute
    """An attribute; of a graph that can be run, what runs and what it takes from around."""
    if not isinstance(content, Subgraph):
        return content
    behind = inspect.getclosurevars(content.run).nonlocals
    graph, frame = behind.get("graph"), behind.get("frame")
    if graph is None or not isinstance(frame, Frame):
        return content
    known = frame.scope.names()
    taken = [
        (name, frame.scope.value(name) if name in known else None)
        for name in sorted(content.captured)
    ]
    return repr((graph, taken, sorted(frame.imports.items()), sorted((frame.given or {}).items())))


def _short(text: str, size: int) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest[:size]).decode()


def read_history(path: Path = FILE) -> dict[str, History]:
    """What is remembered by operator; nothing where there is no file.

    Raises BadInputError for what is no history.
    """
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != _FORMAT:
            return {}
        return {name: _memory(entry) for name, entry in document["operators"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"{path}: no history of mutants: {error}; delete it, and `make mutants` writes another"
        ) from None


def write_history(histories: Mapping[str, History], path: Path = FILE) -> None:
    """Write what is remembered, a line for each operator."""
    rows = [
        f"{json.dumps(name)}:{json.dumps(_document(histories[name]), separators=(',', ':'))}"
        for name in sorted(histories)
    ]
    text = ",\n".join(rows)
    write_whole(path, f'{{"format":{_FORMAT},"operators":{{\n{text}\n}}}}\n')


def _document(history: History) -> dict[str, Any]:
    found: dict[str, Any] = {
        "code": history.code,
        "by": _joined(history.ours.vectors),
        "of": history.ours.of,
        "calls": _joined(sorted(history.steps)),
        "steps": _joined(_number(history.steps[call]) for call in sorted(history.steps)),
        "samples": history.samples,
        "shown": [list(item) for item in history.shown],
        "suspicious": list(history.suspicious),
        "partly_tried": history.partly_tried,
    }
    if history.theirs is not None:
        by = _joined(history.theirs.vectors)
        found["upstream"] = {"digest": history.upstream, "by": by, "of": history.theirs.of}
    return found


def _memory(entry: Mapping[str, Any]) -> History:
    counts = map(_count, _parted(entry["steps"]))
    found = History(
        code=entry["code"],
        ours=Kills(_parted(entry["by"]), tuple(entry["of"])),
        steps=dict(zip(_parted(entry["calls"]), counts, strict=True)),
        samples=entry["samples"],
        shown=tuple((index, vector) for index, vector in entry["shown"]),
        suspicious=tuple(entry["suspicious"]),
        partly_tried=entry["partly_tried"],
    )
    theirs = entry.get("upstream")
    if theirs is None:
        return found
    kills = Kills(_parted(theirs["by"]), tuple(theirs["of"]))
    return replace(found, upstream=theirs["digest"], theirs=kills)


_LENGTH = _BYTES * 4 // 3
_MOST = (1 << 8 * _BYTES) - 1


def _number(count: int) -> str:
    return base64.urlsafe_b64encode(min(count, _MOST).to_bytes(_BYTES, "big")).decode()


def _count(text: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(text), "big")


def _joined(digests: Iterable[str]) -> str:
    return "".join(digests)


def _parted(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + _LENGTH] for at in range(0, len(text), _LENGTH))
