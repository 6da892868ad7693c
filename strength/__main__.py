"""`python -m strength`: measure the vectors of operators; renew or check what is recorded of it."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import MANIFEST_FILE, open_corpus
from onnx_conformance.core.errors import ConformanceError, IncompleteError
from onnx_conformance.validator.judging.verdicts import Verdict

from .around import SUBJECTS, measure_around, measure_optimizers
from .assessing import Fate, Looking
from .checking import check
from .confirming import real_verdict, serve_mutant
from .equivalents import AROUND, arguments_for
from .measuring import Effort, Measured, measure
from .memory import read_memory
from .optimizers import innocents
from .owed import debts
from .page import PAGE
from .record import as_json, digests
from .renewing import Renewal, measured_by, owe, renew
from .reporting import lines, passed, row, suspects

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
_MEMORY = 4 << 30
_SHOWN = 10


def main() -> int:
    """Exit code 0: enough mutants are killed; 1: not; 3: bad input; 5: nothing was measured."""
    parser = argparse.ArgumentParser(prog="python -m strength", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands)
    renewing = commands.add_parser(
        "renew", help="measure what changed since the record, and write record and page"
    )
    renewing.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    renewing.add_argument("--upstream", type=Path, metavar="DIR")
    renewing.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    renewing.add_argument("--samples", type=int, default=1000, metavar="N")
    renewing.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    renewing.add_argument(
        "--operator",
        action="append",
        default=[],
        metavar="NAME",
        help="measure this one though it did not change; may be given again",
    )
    renewing.add_argument("--all", action="store_true", help="measure what did not change, too")
    renewing.add_argument(
        "--lower", action="store_true", help="take an operator that fell below its record"
    )
    renewing.add_argument(
        "--forget", action="store_true", help="ask mutants as if nothing were remembered of them"
    )
    renewing.add_argument(
        "--owe", action="store_true", help="measure nothing, and owe what changed"
    )
    renewing.add_argument(
        "--details", type=Path, default=ROOT / "build" / "strength", metavar="DIR"
    )
    renewing.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    checking = commands.add_parser("check", help="fail where the record does not hold")
    checking.add_argument(
        "--manifest",
        type=Path,
        default=ROOT / "vectors" / "standard" / "manifest.json",
        metavar="FILE",
    )
    checking.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    checking.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    checking.add_argument(
        "--audit", type=int, default=2, metavar="N", help="measure so many operators anew"
    )
    checking.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    around = commands.add_parser(
        "around", help="put runtimes that are wrong around the operators before the vectors"
    )
    around.add_argument("--operator", action="append", metavar="NAME")
    around.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    around.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    around.add_argument(
        "--enough",
        type=int,
        default=sys.maxsize,
        metavar="N",
        help="ask no more operators of a runtime that N convict (default: ask all)",
    )
    by_hand = commands.add_parser(
        "by-hand", help="put runtimes that people wrote wrong before Shape, Size and Reshape"
    )
    by_hand.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    _add_families(commands)
    serve = commands.add_parser("serve", help="be the harness of one mutant (protocol 1)")
    serve.add_argument("--operator", required=True, metavar="NAME")
    serve.add_argument("mutant", help="its name, as `run --killed` has it")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        if arguments.command == "serve":
            domain, _, operator = arguments.operator.rpartition(":")
            serve_mutant(domain, operator, arguments.mutant)
            return 0
        return _COMMANDS[arguments.command](arguments)
    except ConformanceError as error:
        print(f"strength: {error}", file=sys.stderr)
        return int(error.exit_code)


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command that measures operators and writes nothing."""
    run = commands.add_parser("run", help="put the mutants of operators before their vectors")
    run.add_argument(
        "--operator",
        action="append",
        metavar="NAME",
        help="an operator, e.g. Add or ai.onnx.ml:Scaler; may be given again"
        " (default: every one that has vectors)",
    )
    run.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    run.add_argument("--upstream", type=Path, metavar="DIR", help="ONNX's own node tests, imported")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    run.add_argument(
        "--samples", type=int, default=1000, metavar="N", help="calls beyond the corpus"
    )
    which = run.add_mutually_exclusive_group()
    which.add_argument("--cases", action="store_true", help="say which cases kill nothing more")
    which.add_argument(
        "--again",
        action="store_true",
        help="ask each mutant first what killed it when the record was written: seconds, as long as"
        " the oracle stays the same",
    )
    run.add_argument("--killed", action="store_true", help="list the killed mutants, too")
    run.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    run.add_argument("--json", type=Path, metavar="FILE", help="write everything that was found")
    run.add_argument(
        "--confirm",
        type=int,
        default=0,
        metavar="N",
        help="run every Nth killed mutant as a child process before the whole validator, too",
    )


def _add_families(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command that counts by family."""
    counting = commands.add_parser(
        "families", help="count the vectors of each family that no mutant misses, by what is stored"
    )
    counting.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    counting.add_argument("--specs", type=Path, default=ROOT / "specs", metavar="DIR")
    counting.add_argument(
        "--kills",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="what `run --cases --json FILE` wrote, for which cases kill alone; may be given again",
    )


def _run(arguments: argparse.Namespace) -> int:
    names = arguments.operator or _operators(arguments.vectors)
    if not names:
        raise IncompleteError(f"{arguments.vectors} has no vector of an operator with an oracle")
    looking = Looking.CASES if arguments.cases else Looking.FIRST
    begun = time.monotonic()
    measured: list[Measured] = []
    doubtful = 0
    memories = read_memory() if arguments.again else {}
    known = digests(arguments.vectors / MANIFEST_FILE) if arguments.again else {}
    effort = Effort(arguments.jobs, arguments.samples, looking)
    for name in names:
        if name in known:
            memory = memories.get(name)
            again, how = measured_by(name, arguments.vectors, memory, known[name], effort)
            result = again.measured
            print(f"{name} is measured{how or ' from nothing'}")
            for text in suspects(result):
                print(text)
        else:
            domain, _, operator = name.rpartition(":")
            result = measure(domain, operator, arguments.vectors, effort, arguments.upstream)
        measured.append(result)
        for text in lines(result, killed=arguments.killed, cases=arguments.cases):
            print(text)
        doubtful += _unconfirmed(result, arguments)
    if len(measured) > 1:
        print()
        for result in measured:
            print(row(result))
    print(f"{time.monotonic() - begun:.1f} s")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps([as_json(item) for item in measured], indent=1))
    good = all(passed(item, arguments.least) for item in measured)
    return 0 if good and not doubtful else 1


def _around(arguments: argparse.Namespace) -> int:
    names = arguments.operator or _operators(arguments.vectors)
    if not names:
        raise IncompleteError(f"{arguments.vectors} has no vector of an operator with an oracle")
    if not arguments.operator:
        # Whole models show what is around operators, too, and most of it.
        hurried = arguments.enough < len(names)
        names = [*SUBJECTS, *names] if hurried else [*names, *SUBJECTS]
    begun = time.monotonic()
    living = 0
    argued = arguments_for("", AROUND)
    found = measure_around(names, arguments.vectors, arguments.jobs, arguments.enough)
    for item in found:
        by = f"by {len(item.first)} operators, such as {item.first[0][1]}" if item.first else ""
        word = "killed " if item.first else "argued " if item.name in argued else "LIVES  "
        living += word.startswith("LIVES")
        print(f"{word} {item.name}: {item.summary}")
        if by or item.name in argued:
            print(f"          {by or argued[item.name]}")
    if not arguments.operator:
        living += _around_graphs(arguments.vectors)
    print(f"{living} live; {len(names)} operators; {time.monotonic() - begun:.1f} s")
    return 1 if living else 0


def _around_graphs(vectors: Path) -> int:
    """Put optimizers before whole models; how many are judged otherwise than they should be."""
    right = {item.name for item in innocents()}
    wrong = 0
    for item in measure_optimizers(vectors):
        by = item.first[0][1] if item.first else ""
        wrong += bool(by) == (item.name in right)
        if item.name in right:
            print(f"{'CONVICTED' if by else 'acquitted'} {item.name} {by}".rstrip())
        else:
            print(f"{'killed ' if by else 'LIVES  '} {item.name} {by}".rstrip())
    return wrong


def _unconfirmed(measured: Measured, arguments: argparse.Namespace) -> int:
    """How many of the sampled mutants the whole validator lets pass where the judge did not."""
    if not arguments.confirm:
        return 0
    killed = [item for item in measured.findings if item.fate is Fate.KILLED and "/" in item.by]
    wrong = 0
    for item in killed[:: arguments.confirm]:
        verdict = real_verdict(arguments.vectors, measured.name, item.name, item.by)
        if verdict is Verdict.PASS:
            print(f"DOUBT   {item.name}: as a child process it passes {item.by}")
            wrong += 1
    print(f"{len(killed[:: arguments.confirm]) - wrong} kills confirmed by child processes")
    return wrong


def _operators(vectors: Path) -> Sequence[str]:
    """The operators of a corpus that have an oracle, as `--operator` names them."""
    from onnx_conformance.generators.oracle.index import module_of

    slugs = {entry.partition("/")[0].rpartition("-")[0] for entry in open_corpus(vectors).entries}
    return [
        f"{domain}:{operator}" if domain else operator
        for domain, operator in module_of()
        if (f"{domain}.{operator}" if domain else operator).lower() in slugs
    ]


def _renew(arguments: argparse.Namespace) -> int:
    if arguments.owe:
        return owe(arguments.vectors, arguments.least, arguments.page)
    renewal = Renewal(
        arguments.vectors,
        arguments.upstream,
        arguments.details,
        arguments.samples,
        arguments.least,
        arguments.lower,
        arguments.forget,
    )
    return renew(
        renewal,
        arguments.jobs,
        arguments.page,
        everything=arguments.all,
        names=arguments.operator,
    )


def _check(arguments: argparse.Namespace) -> int:
    faults = check(
        arguments.manifest, arguments.page, arguments.least, arguments.audit, arguments.jobs
    )
    for fault in faults[:_SHOWN]:
        print(f"strength: {fault}", file=sys.stderr)
    if len(faults) > _SHOWN:
        print(f"strength: and {len(faults) - _SHOWN} more", file=sys.stderr)
    if not faults:
        print(f"strength: the record holds; {arguments.audit} operators measured anew")
        owed = debts()
        if owed:
            print(f"strength: still owed for {len(owed)} operators: {', '.join(sorted(owed))}")
    return 1 if faults else 0


def _by_hand(arguments: argparse.Namespace) -> int:
    from .by_hand.running import measure_by_hand

    found = measure_by_hand(arguments.vectors)
    for mutant in found.living:
        print(f"LIVES   {mutant.name}: {mutant.bug}")
    for name, vector in found.convicted.items():
        print(f"WRONG   the correct backend '{name}' is convicted by {vector}")
    print(
        f"{found.tried - len(found.living)} of {found.tried} runtimes that people wrote wrong are"
        f" convicted by {found.vectors} vectors"
    )
    return 1 if found.living or found.convicted else 0


def _families(arguments: argparse.Namespace) -> int:
    from .families import count_families, told

    counted = count_families(arguments.vectors, arguments.specs, arguments.kills)
    for text in told(counted):
        print(text)
    return 0


_COMMANDS = {
    "run": _run,
    "around": _around,
    "by-hand": _by_hand,
    "families": _families,
    "renew": _renew,
    "check": _check,
}


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    sys.exit(main())
