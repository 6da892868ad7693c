"""What becomes of a results file that is there already when a run wants to write one.

Verdicts are hours of somebody's work. A file that holds some is replaced only by a run of the same
selection by the same backend under the same name, or with `--force`; if the run that wrote it was
cut short, it is kept beside the new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.limits import RESULTS_LINE
from onnx_conformance.core.text import brief, one_line, quantity

_ROW = b'{"record":"row"'
_FOOTER = b'{"record":"footer"'


@dataclass(frozen=True)
class Claim:
    """The run that wants the file.

    Attributes:
        backend: name of its column.
        given: the value of `--backend`.
        selection: the options that select vectors, by name, as the header keeps them.
        planned: ids of its vectors.
        force: whether the file is replaced whatever it holds.
    """

    backend: str
    given: str
    selection: Mapping[str, Any] = field(default_factory=dict)
    planned: Sequence[str] = ()
    force: bool = False


def must_be_kept(path: Path, claim: Claim) -> bool:
    """Whether the run that wrote a file was cut short, so that the file is kept beside a new one.

    Raises UsageError if the file may not be replaced, BadInputError if it cannot be read.
    """
    if claim.force:
        return False
    try:
        with path.open("rb") as stream:
            first = stream.readline(RESULTS_LINE)
            verdicts, finished = _counted(stream)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not first or (not verdicts and not first.endswith(b"\n")):
        return False  # nothing, or a header that a kill cut short
    header = _header(first)
    if header is None:
        raise UsageError(f"{path}: is no results file, and would be replaced{_INSTEAD}")
    if not verdicts:
        return False
    _require_same_run(f"{path}: holds {quantity(verdicts, 'verdict')}", header, claim)
    return not finished


_INSTEAD = "; name another file with --results, or replace it with --force"


def dated(path: Path) -> str:
    """When the run began whose results a file holds; empty if it holds none."""
    try:
        with path.open("rb") as stream:
            header = _header(stream.readline(RESULTS_LINE))
    except OSError:
        return ""
    return one_line(str(header.get("started") or ""), 40) if header else ""


def name_beside(path: Path) -> Path:
    """The first name beside a file that is free: `r.jsonl.interrupted`, `r.jsonl.interrupted-2`."""
    number, found = 1, path.with_name(f"{path.name}.interrupted")
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name}.interrupted-{number}")
    return found


def _counted(stream: Any) -> tuple[int, bool]:  # noqa: ANN401  a binary stream
    """How many rows follow, and whether there is a footer; nothing is parsed."""
    verdicts, finished = 0, False
    while line := stream.readline(RESULTS_LINE):
        verdicts += line.startswith(_ROW)
        finished = finished or line.startswith(_FOOTER)
    return verdicts, finished


def _header(line: bytes) -> dict[str, Any] | None:
    """The header in the first line; None if it is none."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("record") != "header":
        return None
    if not isinstance(document.get("extra", {}), dict):
        return None
    return document


def _require_same_run(holds: str, header: Mapping[str, Any], claim: Claim) -> None:
    extra = header.get("extra", {})
    date = one_line(str(header.get("started") or "an unknown date"), 40)
    for before, now, what in (
        (header.get("backend"), claim.backend, "of backend"),
        (extra.get("backend", claim.given), claim.given, "made with --backend"),
    ):
        if before != now:
            raise UsageError(
                f"{holds} {what} {brief(before)}, of {date}, and this run is of"
                f" {brief(now)}{_INSTEAD}"
            )
    before, now = extra.get("selection") or {}, json.loads(json.dumps(claim.selection))
    # Of --failed-in only a number is kept.
    by_ids = "failed" in now and set(header.get("planned", ())) != set(claim.planned)
    if before != now or by_ids:
        raise UsageError(
            f"{holds} of {_selected(before)}, of {date}, and this run is of"
            f" {_selected(now)}{_INSTEAD}"
        )


def _selected(selection: object) -> str:
    return f"the selection {brief(selection)}" if selection else "the whole corpus"
