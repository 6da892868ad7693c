"""`python -m mutants`: measure, list the mutants, or serve one of them as a harness."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.files import write_whole

from .registry import all_mutants

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    """Exit code 0: every mutant is convicted or equivalent, and no correct backend is."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="put every mutant before both corpora")
    run.add_argument("--vectors", type=Path, default=ROOT / "vectors", metavar="DIR")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    run.add_argument("--markdown", type=Path, metavar="FILE", help="write the page")
    run.add_argument("--check", type=Path, metavar="FILE", help="fail where the page is stale")
    commands.add_parser("list", help="name the mutants")
    serve = commands.add_parser("serve", help="be the harness of one mutant (protocol 1)")
    serve.add_argument("name", help="a mutant, or innocent:NAME for a correct backend")
    arguments = parser.parse_args()
    if arguments.command == "serve":
        return _serve(arguments.name)
    if arguments.command == "list":
        for mutant in all_mutants().values():
            _say(f"{mutant.name:44} {mutant.bug}")
        return 0
    try:
        return _run(arguments)
    except ConformanceError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 3


def _serve(name: str) -> int:
    from .serving import serve_backend
    from .strategies import INNOCENT, INNOCENTS

    if name.startswith(INNOCENT):
        serve_backend(name, INNOCENTS[name.removeprefix(INNOCENT)]())
    else:
        serve_backend(name, all_mutants()[name].backend())
    return 0


def _run(arguments: argparse.Namespace) -> int:
    from .measuring import findings, open_court, write_upstream
    from .reporting import faults, line, markdown, summary
    from .strategies import INNOCENT, INNOCENTS

    begun = time.monotonic()
    names = [*(INNOCENT + name for name in INNOCENTS), *all_mutants()]
    with tempfile.TemporaryDirectory() as folder:
        upstream = Path(folder) / "onnx"
        court = open_court(arguments.vectors, upstream, write_upstream(upstream))
        found = {}
        for finding in findings(court, names, arguments.jobs):
            found[finding.name] = finding
    vectors, cases = len(court.ours.exhibits), len(court.theirs.exhibits)
    innocents = [found[name] for name in INNOCENTS]
    for mutant in all_mutants().values():
        _say(line(mutant, found[mutant.name]))
    _say("")
    for text in summary(found, vectors, cases):
        _say(text)
    wrong = faults(innocents, found)
    page = markdown(innocents, {name: found[name] for name in all_mutants()}, vectors, cases)
    if arguments.markdown:
        write_whole(arguments.markdown, page)
    if arguments.check and arguments.check.read_text(encoding="utf-8") != page:
        wrong.append(f"{arguments.check} is stale: `make mutants` writes it")
    for text in wrong:
        _say(f"wrong: {text}")
    _say(f"{time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


def _say(text: str) -> None:
    print(text)


if __name__ == "__main__":
    sys.exit(main())
