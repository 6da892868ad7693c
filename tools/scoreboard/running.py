"""Every runtime that installs here, on the standard corpus and on ONNX's own node tests.

    python -m tools.scoreboard [--install] [--slow | --part [--shard K/N]] [--operator OPERATOR]
                               [NAME ...]

Writes a site for each of the two corpora below build/scoreboard, and docs/scoreboard.md. Runtimes
are looked for where `make test-runtimes` puts them; --install puts them there. A backend with
adaptations is a column as it is and another one adapted. What compiles each model is run on the
newest version of each operator in the plain form, without --slow, and on a sample of these with
--shard: the page says which columns are whole. A run that was stopped is continued, and nothing
that did not change is run twice (`board`). With --operator, to try it, all is written below
build/tried, docs/scoreboard.md not at all.

Ends with 1 where a runtime could not be installed or run; that is said at the end, and the others
are on the scoreboard all the same.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import ConformanceError, UsageError
from onnx_conformance.core.files import write_whole
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS
from onnx_conformance.validator.running.selecting import parse_shard

from .. import runtimes
from ..runtimes import FOLDER, NODE, environment_of, is_here
from .board import VALIDATE, Board, earlier, run
from .page import FIRST, left_out, written

ROOT = Path(__file__).parents[2]
NODE_NAMES = ("onnxruntime-web", "onnxruntime-node")
STANDARD, OWN = "standard", "onnx"
_NAMED = {STANDARD: "the standard corpus", OWN: "ONNX's own node tests"}
PAGE = ROOT / "docs" / "scoreboard.md"


class Column(NamedTuple):
    """A backend as `onnx-validate run` is given it."""

    name: str
    options: tuple[str, ...]
    slow: bool = False


def main(words: Sequence[str] | None = None) -> int:
    """Run what is missing, then write the pages."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.scoreboard", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("names", nargs="*", help="backends (default: all that are installed)")
    parser.add_argument("--slow", action="store_true", help="the slow ones on everything: hours")
    parser.add_argument("--install", action="store_true", help="install the runtimes first")
    parser.add_argument("--corpus", choices=(STANDARD, OWN), help="one of the two (default: both)")
    parser.add_argument("--operator", dest="operators", action="append", default=[], metavar="NAME")
    parser.add_argument("--part", action="store_true", help="all of them on that part alone")
    parser.add_argument("--shard", metavar="K/N", help="the K-th of N parts: a sample of them")
    parser.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors", metavar="DIR")
    parser.add_argument("--own", type=Path, metavar="DIR", help="ONNX's own tests, as imported")
    parser.add_argument("--output", type=Path, metavar="DIR", help="(default: build/scoreboard)")
    arguments = parser.parse_args(words)
    try:
        arguments.shard = parse_shard(arguments.shard) if arguments.shard else None
    except UsageError as error:
        parser.error(str(error))
    if arguments.output is None:
        arguments.output = ROOT / "build" / ("tried" if arguments.operators else "scoreboard")
    troubles = install(arguments.names) if arguments.install else []
    chosen, absent = columns(arguments.names)
    unknown = {*arguments.names} - {column.name for column in chosen} - {*absent}
    if unknown:
        parser.error(f"no backend of ours: {', '.join(sorted(unknown))}")
    troubles += [f"{name}: not installed; `make test-runtimes` installs it" for name in absent]
    boards = _boards(arguments)
    sites = []
    for label, board in boards.items():
        if label == OWN and not import_own(board):
            troubles.append(f"{_NAMED[OWN]} could not be imported")
            continue
        ran, failed = _run_all(label, board, chosen, arguments)
        troubles += failed
        if ran and _site(board, ran):
            sites.append(board.results / "site" / "index.html")
    if arguments.operators:
        page = arguments.output / "scoreboard.md"
        write_page(page, arguments.output)
    else:
        page = PAGE
        troubles += write_page(page, arguments.output, ROOT / "build", boards.get(STANDARD))
    print("".join(f"{path}\n" for path in (*sites, page)), end="")
    for trouble in troubles:
        print(f"NOT ON THE SCOREBOARD: {trouble}", file=sys.stderr)
    return 1 if troubles or len(sites) < len(boards) else 0


def install(names: Iterable[str]) -> list[str]:
    """Install what is not there, each for itself; in words what could not be installed."""
    known = {backend.name: backend for backend in KNOWN_BACKENDS}
    wanted = [name.partition("+")[0] for name in names] or [*known, NODE]
    failed = []
    for name in dict.fromkeys(wanted):
        key = NODE if name in NODE_NAMES else name
        if not (runtimes.install(known[key]) if key in known else runtimes.install_node()):
            failed.append(f"{name}: could not be installed")
    return failed


def columns(names: Sequence[str] = ()) -> tuple[list[Column], list[str]]:
    """The columns that can be run, and the names of those whose runtime is not installed."""
    found: list[Column] = []
    absent: list[str] = []
    for backend in KNOWN_BACKENDS:
        every = [backend.name, *(f"{backend.name}+{item}" for item in backend.adapted)]
        wanted = [name for name in every if not names or name in names]
        python = environment_of(backend) / "bin" / "python"
        if not is_here(backend) and not python.exists():
            absent += wanted
            continue
        slow = any(word in backend.remark for word in ("slow", "compiles"))
        where = () if is_here(backend) else ("--python", str(python))
        found += [Column(name, ("--backend", name, *where), slow) for name in wanted]
    wanted = [name for name in NODE_NAMES if not names or name in names]
    if not wanted:
        return found, absent
    if not (FOLDER / NODE / "node_modules").is_dir() or shutil.which("node") is None:
        return found, [*absent, *wanted]
    # Node looks for packages near the file.
    harness = shutil.copy(ROOT / "examples" / "javascript" / "onnxruntime.mjs", FOLDER / NODE)
    for name in wanted:
        found.append(Column(name, ("--backend", f"command:node {harness} {name}", "--name", name)))
    return found, absent


def _boards(arguments: argparse.Namespace) -> Mapping[str, Board]:
    operators, part = tuple(arguments.operators), arguments.part
    shard = arguments.shard
    own = arguments.own or arguments.output / OWN / "vectors"
    boards = {
        STANDARD: Board(arguments.vectors.resolve(), arguments.output, operators, part, shard),
        OWN: Board(own.resolve(), arguments.output / OWN, operators, part),
    }
    return {label: board for label, board in boards.items() if arguments.corpus in (None, label)}


def _run_all(
    label: str, board: Board, chosen: Iterable[Column], arguments: argparse.Namespace
) -> tuple[list[str], list[str]]:
    """The columns that were run on a corpus, and in words which could not be."""
    ran, failed = [], []
    for column in chosen:
        in_part = column.slow and label == STANDARD and not arguments.slow
        chosen_board = replace(board, part=True) if in_part else board
        if in_part:
            print(f"{column.name}: slow, run on a part without --slow", file=sys.stderr)
        if _run(label, chosen_board, column, ask_validate=not arguments.operators):
            ran.append(column.name)
        else:
            failed.append(f"{column.name}: could not be run on {_NAMED[label]}")
    return ran, failed


def _run(label: str, board: Board, column: Column, *, ask_validate: bool) -> bool:
    try:
        validated = ROOT / "build" / f"{column.name}.jsonl"
        ask = label == STANDARD and ask_validate
        return run(board, column.name, column.options, validated if ask else None)
    except ConformanceError as error:
        print(f"{column.name}: {error}", file=sys.stderr)
        return False


def import_own(board: Board) -> bool:
    """Write ONNX's own node tests, unless those of the installed version are there already."""
    import onnx

    there = not board.operators and (board.vectors / "manifest.json").is_file()
    if there and open_corpus(board.vectors).version == f"onnx-{onnx.__version__}":
        return True
    chosen = [word for operator in board.operators for word in ("--operator", operator)]
    command = [str(VALIDATE.with_name("onnx-vectors")), "import", "onnx", *chosen]
    command += ["--output", str(board.vectors)]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    return not done.returncode


def _site(board: Board, names: Iterable[str]) -> bool:
    files = [str(board.path(name)) for name in names]
    command = [str(VALIDATE), "site", *files, "--output", str(board.results / "site")]
    return not subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode


def write_page(
    page: Path, folder: Path, build: Path | None = None, board: Board | None = None
) -> list[str]:
    """Write the table of totals, where anything was run on the standard corpus.

    Args:
        page: what is written.
        folder: where results are kept.
        build: where `make validate` keeps its own, which are on the page whatever was run now.
        board: the runs on the standard corpus, whose vectors the page is of.

    Returns:
        In words, the backends that are not on the page, and why.
    """
    digest = open_corpus(board.vectors).digest if board is not None else None
    found = [earlier(build / f"{name}.jsonl") for name in FIRST] if build is not None else []
    validated = [
        item
        for item in found
        if item and not item.missing and digest in (None, item.header.corpus.get("digest"))
    ]
    text = written(
        folder, page.read_text(encoding="utf-8") if page.exists() else "", validated, digest
    )
    if text:
        write_whole(page, text)
    return left_out(folder, validated, digest) if digest else []
