"""`python -m strength arrangements`: put mutants that arrange before the vectors."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.files import write_whole

from ..arranging.arguments import argued
from ..arranging.measuring import measure_all
from ..arranging.page import PAGE, page
from ..arranging.record import Line, digests, line_of, read_record, write_record
from ..trying.status import Status
from ..vectors import operators_of, read_ahead, split_name
from .options import ROOT, add_jobs, add_least, add_operators, add_vectors

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from ..arranging.measuring import Arranged

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
    which.add_argument("--write", action="store_true", help="write what was found to the record")
    which.add_argument(
        "--check", action="store_true", help="measure nothing, and say where the record fails"
    )
    parser.add_argument("--manifest", type=Path, default=_MANIFEST, metavar="FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE")


def execute(arguments: argparse.Namespace) -> int:
    """Measure; exit code 1 where less is killed than is demanded, or the record does not hold."""
    if arguments.check:
        return _check(arguments)
    begun = time.monotonic()
    now = digests(arguments.vectors / MANIFEST_FILE)
    lines = {name: line for name, line in read_record().items() if name in now}
    names = arguments.operator or [
        name for name in now if name not in lines or lines[name].digest != now[name]
    ]
    if not operators_of(arguments.vectors):
        raise IncompleteError(f"{arguments.vectors} has no vector of an operator with an oracle")
    read_ahead(arguments.vectors)
    weak = 0
    for found in measure_all(
        [split_name(name) for name in names], arguments.vectors, arguments.jobs
    ):
        line = line_of(found, now.get(found.name, ""))
        lines[found.name] = line
        weak += line.percent < arguments.least
        for text in _told(found, line):
            print(text)
    print(f"{len(names)} of {len(now)} operators measured in {time.monotonic() - begun:.0f} s")
    if arguments.write:
        write_record(lines)
        write_whole(arguments.page, page(lines))
    return 1 if weak else 0


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


def _check(arguments: argparse.Namespace) -> int:
    """Hold the record against the corpus; nothing is measured."""
    lines, now = read_record(), digests(arguments.manifest)
    faults = list(_faults(lines, now, arguments.least))
    if not faults and (
        not arguments.page.is_file() or arguments.page.read_text(encoding="utf-8") != page(lines)
    ):
        faults.append(f"{arguments.page} is out of date; `make arrangements` writes it")
    for fault in faults[:_SHOWN]:
        print(f"strength: {fault}", file=sys.stderr)
    if len(faults) > _SHOWN:
        print(f"strength: and {len(faults) - _SHOWN} more", file=sys.stderr)
    if not faults:
        print(f"strength: the record of arrangements holds for {len(lines)} operators")
    return 1 if faults else 0


def _faults(lines: Mapping[str, Line], now: Mapping[str, str], least: float) -> Iterator[str]:
    for name in sorted({*lines, *now}):
        if name not in now:
            yield f"{name}: the record has it, and the corpus no vector of it; {_RENEW}"
        elif name not in lines:
            yield f"{name}: mutants that arrange were never measured; {_RENEW}"
        elif lines[name].digest != now[name]:
            yield f"{name}: its vectors, its oracle or what judges it changed; {_RENEW}"
        elif lines[name].percent < least:
            yield (
                f"{name}: its vectors kill {lines[name].percent:.1f} % of the mutants that arrange,"
                f" less than {least:g} %; `make arrangements OPERATOR={name}` says more"
            )
