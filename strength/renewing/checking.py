"""Holds the record against the corpus, and some operators against it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.errors import IncompleteError

from ..names import slug_of, split_name
from ..records.allowances import Allowance, allowances
from ..records.page import page
from ..records.record import Line, digests, line_of, read_record
from ..trying.measuring import Effort, measure

_RENEW = "`make mutants` renews the record"
# In percent: a mutant that a slow machine gives up on may not look like a fall.
_LEAST_FALL = 2.0


def check(manifest: Path, page_file: Path, least: float, audited: int, jobs: int) -> list[str]:
    """What is wrong: a line for each operator whose strength is unknown, low or less than recorded.

    Args:
        manifest: the digests of the standard corpus, `vectors/standard/manifest.json`.
        page_file: the page of totals.
        least: the percentage of mutants that an operator's vectors must kill.
        audited: how many operators are measured anew; which ones, the digests say.
        jobs: processes for that.

    Raises IncompleteError where the manifest has no operator with an oracle.
    """
    lines, now, allowed = read_record(), digests(manifest), allowances()
    if not now:
        raise IncompleteError(f"{manifest} has no vector of an operator with an oracle")
    faults = [*_of_allowances(allowed, lines, now, least), *_of_record(lines, now, least, allowed)]
    if not faults and (
        not page_file.is_file() or page_file.read_text(encoding="utf-8") != page(lines, allowed)
    ):
        faults.append(f"{page_file} is out of date; {_RENEW}")
    if not faults:
        for name in _turns({name: now[name] for name in lines}, audited):
            faults += _audit(name, lines[name], jobs)
    return faults


def _of_allowances(
    allowed: Mapping[str, Allowance],
    lines: Mapping[str, Line],
    now: Mapping[str, str],
    least: float,
) -> Iterator[str]:
    """Allowances that are not needed any more."""
    for name in sorted(allowed):
        if name not in now:
            yield f"{name}: allowances.yaml has it, and the corpus no vector of it; take it out"
        elif name in lines and lines[name].percent >= least:
            share = f"{lines[name].percent:.1f} %"
            yield f"{name}: {share} of its mutants are killed; take it out of allowances.yaml"


def _of_record(
    lines: Mapping[str, Line],
    now: Mapping[str, str],
    least: float,
    allowed: Mapping[str, Allowance],
) -> Iterator[str]:
    for name in sorted({*lines, *now}):
        allowance = allowed.get(name)
        demanded = least if allowance is None or allowance.least is None else allowance.least
        if allowance is not None and allowance.least is None and name not in lines:
            continue
        if name not in now:
            yield f"{name}: the record has it, and the corpus no vector of it; {_RENEW}"
        elif name not in lines:
            yield f"{name}: its strength was never measured; {_RENEW}"
        elif lines[name].digest != now[name]:
            yield (
                f"{name}: its vectors, its oracle or what judges it changed since its strength was"
                f" measured; {_RENEW}"
            )
        elif lines[name].percent < demanded:
            yield (
                f"{name}: its vectors kill {lines[name].percent:.1f} % of the mutants that can be"
                f" told apart, less than {demanded:g} %; `make mutants OPERATOR={name}` says more"
            )


def _turns(now: Mapping[str, str], count: int) -> Sequence[str]:
    """Some operators, others whenever something changes."""
    seed = "".join(now.values())
    ordered = sorted(now, key=lambda name: hashlib.sha256(f"{seed}{name}".encode()).digest())
    return ordered[:count]


def _audit(name: str, line: Line, jobs: int) -> Iterator[str]:
    """Generate and measure an operator, and compare."""
    domain, operator = split_name(name)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "onnx_conformance.generators.main",
                "generate",
                "--output",
                folder,
                f"{slug_of(domain, operator)}-*/*",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
        )
        measured = measure(domain, operator, Path(folder), Effort(jobs))
    found = line_of(measured, line.digest)
    if measured.failures:
        yield f"{name}: the oracle does not pass {measured.failures[0][0]}"
    apart, known = found.killed + found.survived, line.killed + line.survived
    if apart < known * (1 - _LEAST_FALL / 100):
        yield (
            f"{name}: the record has {known} mutants that can be told apart; measured anew it is"
            f" {apart}: does strength/trying/sampling.py still make calls of all kinds?"
        )
    if found.percent < line.percent - _LEAST_FALL:
        yield (
            f"{name}: the record says that {line.percent:.1f} % of its mutants are killed; measured"
            f" anew it is {found.percent:.1f} %; {_RENEW}"
        )
