"""`python -m strength arrangements`: put mutants that arrange before the vectors."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.files import write_whole

from ..arranging.arguments import argued, idle
from ..arranging.measuring import Arranged
from ..arranging.page import PAGE, page
from ..arranging.record import ALLOWANCES, FILE, Line, digests, line_of, read_record, write_record
from ..arranging.running import measure_each
from ..names import split_name
from ..records.allowances import Allowance, allowances, still_allowed, write_allowances
from ..trying.status import Status
from ..vectors import entries_of, operators_of
from .options import ROOT, add_jobs, add_least, add_operators, add_vectors

if TYPE_CHECKING:
    import argparse


_MANIFEST = ROOT / "vectors" / "standard" / "manifest.json"
_SHOWN = 10
_RENEW = "`make arrangements` measures it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(
        parser,
        "an operator, e.g. Add or ai.onnx.ml:Scaler; may be given again (default: what changed"
        " since it was recorded)",
    )
    add_vectors(parser)
    add_jobs(parser)
    add_least(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--write",
        action="store_true",
        help="write what is found of each operator to the record as soon as it is found",
    )
    which.add_argument(
        "--check", action="store_true", help="measure nothing, and say where the record fails"
    )
    which.add_argument(
        "--unmeasured",
        action="store_true",
        help="measure nothing, and list what changed among what is allowed to be unmeasured",
    )
    parser.add_argument("--manifest", type=Path, default=_MANIFEST, metavar="FILE")
    parser.add_argument("--record", type=Path, default=FILE, metavar="FILE")
    parser.add_argument("--allowances", type=Path, default=ALLOWANCES, metavar="FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE")


def execute(arguments: argparse.Namespace) -> int:
    """Measure; exit code 1 where less is killed than is demanded, or the record does not hold."""
    files = _Files(arguments.record, arguments.allowances, arguments.page, arguments.least)
    if arguments.check:
        return _check(files, digests(arguments.manifest))
    now = digests(arguments.vectors / MANIFEST_FILE)
    if arguments.unmeasured:
        return _mark(files, now)
    return _measure(files, now, arguments)


def _measure(files: _Files, now: Mapping[str, str], arguments: argparse.Namespace) -> int:
    begun = time.monotonic()
    # The vectors may be those of one operator: what the record has of the others stays.
    corpus = digests(arguments.manifest) if arguments.write else now
    known = read_record(files.record)
    allowed = allowances(files.allowances)
    names = arguments.operator or [
        name for name in now if name not in known or known[name].digest != now[name]
    ]
    if not operators_of(arguments.vectors):
        raise IncompleteError(f"{arguments.vectors} has no vector of an operator with an oracle")
    entries_of(arguments.vectors)
    # What is quick first: whoever ends it early has most of it.
    names.sort(key=lambda name: known[name].vectors if name in known else 0)
    weak = 0
    targets = [split_name(name) for name in names]
    for found in measure_each(targets, arguments.vectors, arguments.jobs):
        line = line_of(found, now.get(found.name, ""))
        weak += line.percent < files.demanded(found.name, allowed)
        for text in _told(found, line):
            print(text, flush=True)
        if arguments.write:
            files.keep({found.name: line}, corpus)
    print(f"{len(names)} of {len(now)} operators measured in {time.monotonic() - begun:.0f} s")
    if arguments.write:
        files.keep({}, corpus)
    return 1 if weak else 0


@dataclass(frozen=True)
class _Files:
    """Where everything is written, and what an operator must reach, in percent."""

    record: Path
    allowances: Path
    page: Path
    least: float

    def keep(self, found: Mapping[str, Line], now: Mapping[str, str]) -> None:
        """Write what was found besides what the record has by now, so that nothing is lost."""
        lines = {**read_record(self.record), **found}
        self.write({name: line for name, line in lines.items() if name in now}, now)

    def write(self, lines: Mapping[str, Line], now: Mapping[str, str]) -> None:
        """Write record, allowances and page."""
        write_record(lines, self.record)
        left = still_allowed(allowances(self.allowances), lines, now, self.least)
        write_allowances(left, self.allowances)
        write_whole(self.page, page(lines, left))

    def demanded(self, name: str, allowed: Mapping[str, Allowance]) -> float:
        """What an operator must reach: less where that is allowed."""
        allowance = allowed.get(name)
        return self.least if allowance is None or allowance.least is None else allowance.least


def _told(found: Arranged, line: Line) -> Iterator[str]:
    """What was found of an operator, what survived first."""
    why = argued(found.name, line.argued)
    for item in found.findings:
        if item.name in why:
            yield f"argued   {item.name}\n         {why[item.name]}"
        elif item.status is Status.SURVIVED:
            yield f"SURVIVED {item.name}\n         {item.by}"
    yield (
        f"{found.name}: {line.percent:.1f} % of {line.killed + len(line.survived)} mutants killed;"
        f" {len(line.survived)} survived, {len(line.argued)} argued, {line.equivalent} equivalent;"
        f" {line.vectors} vectors"
    )


def _mark(files: _Files, now: Mapping[str, str]) -> int:
    """Measure nothing, and leave what changed out of the record, among what is allowed."""
    before = read_record(files.record)
    lines = {name: line for name, line in before.items() if now.get(name) == line.digest}
    files.write(lines, now)
    print(f"{len(lines)} of {len(now)} operators are as they were measured")
    return 0


def _check(files: _Files, now: Mapping[str, str]) -> int:
    """Hold the record against the corpus; nothing is measured."""
    if not now:
        raise IncompleteError("the manifest has no vector of an operator with an oracle")
    lines, allowed = read_record(files.record), allowances(files.allowances)
    faults = list(_faults(files, lines, now, allowed))
    if not faults and (
        not files.page.is_file() or files.page.read_text(encoding="utf-8") != page(lines, allowed)
    ):
        faults.append(f"{files.page} is out of date; `make arrangements` writes it")
    for fault in faults[:_SHOWN]:
        print(f"strength: {fault}", file=sys.stderr)
    if len(faults) > _SHOWN:
        print(f"strength: and {len(faults) - _SHOWN} more", file=sys.stderr)
    if not faults:
        print(f"strength: the record of arrangements holds for {len(lines)} operators")
        if allowed:
            print(f"strength: {len(allowed)} may be unmeasured or have less: {', '.join(allowed)}")
    return 1 if faults else 0


def _faults(
    files: _Files,
    lines: Mapping[str, Line],
    now: Mapping[str, str],
    allowed: Mapping[str, Allowance],
) -> Iterator[str]:
    for name in sorted({*lines, *now, *allowed}):
        allowance, line = allowed.get(name), lines.get(name)
        if name not in now:
            yield f"{name}: the record has it, and the corpus no vector of it; {_RENEW}"
        elif line is None:
            if allowance is None or allowance.least is not None:
                yield f"{name}: mutants that arrange were never measured; {_RENEW}"
        elif line.digest != now[name]:
            yield f"{name}: its vectors, its oracle or what judges it changed; {_RENEW}"
        elif line.percent < files.demanded(name, allowed):
            yield (
                f"{name}: its vectors kill {line.percent:.1f} % of the mutants that arrange,"
                f" less than {files.demanded(name, allowed):g} %;"
                f" `make arrangements OPERATOR={name}` says more"
            )
        elif allowance is not None and line.percent >= files.least:
            yield (
                f"{name}: {line.percent:.1f} % of its mutants that arrange are killed; take it out"
                f" of {files.allowances.name}"
            )
    if set(lines) == set(now):
        for rule in idle({name: line.argued for name, line in lines.items()}):
            yield f"arguments.yaml: no mutant that survives is '{rule}'; take the rule out"
