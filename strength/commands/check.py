"""`python -m strength check`: fail where the record does not hold."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..records.allowances import allowances
from ..records.sizes import digests_of_lock, read_sizes, stale
from ..renewing.checking import check
from .options import ROOT, add_jobs, add_least, add_page

if TYPE_CHECKING:
    import argparse

_SHOWN = 10
_MANIFEST = ROOT / "vectors" / "standard" / "manifest.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--manifest", type=Path, default=_MANIFEST, metavar="FILE")
    add_page(parser)
    add_least(parser)
    parser.add_argument(
        "--audit", type=int, default=2, metavar="N", help="measure so many operators anew"
    )
    add_jobs(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Check; exit code 1 where something is wrong."""
    faults = check(
        arguments.manifest, arguments.page, arguments.least, arguments.audit, arguments.jobs
    )
    if not faults:
        faults = list(stale(read_sizes(), digests_of_lock(arguments.manifest)))
    for fault in faults[:_SHOWN]:
        print(f"strength: {fault}", file=sys.stderr)
    if len(faults) > _SHOWN:
        print(f"strength: and {len(faults) - _SHOWN} more", file=sys.stderr)
    if faults:
        return 1
    print(f"strength: the record holds; {arguments.audit} operators measured anew")
    allowed = sorted(allowances())
    if allowed:
        names = ", ".join(allowed)
        print(f"strength: {len(allowed)} operators may be unmeasured or have less: {names}")
    return 0
