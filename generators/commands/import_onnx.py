"""`onnx-vectors import onnx`: write the node tests of the installed onnx package as files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, IncompleteError, UsageError
from onnx_conformance.core.files import write_whole

if TYPE_CHECKING:
    import argparse

    from ..importing.verifying import CaseDifference
    from ..importing.writing import ImportedCase

KEPT_FOLDER = Path("vectors/upstream")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("source", choices=["onnx"], help="where from: the installed onnx package")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder to write; it is replaced as a whole"
    )
    parser.add_argument(
        "--operator",
        dest="operators",
        action="append",
        default=[],
        metavar="NAME",
        help="cases of this operator only, expanded ones too; may be given again",
    )
    parser.add_argument(
        "--min-cases",
        type=int,
        default=1,
        metavar="N",
        help="fail, and write nothing, where there are fewer cases",
    )
    parser.add_argument(
        "--verify",
        nargs="?",
        const=KEPT_FOLDER,
        type=Path,
        metavar="REFERENCE",
        help="compare with a digest list, or with a folder that was imported elsewhere, and say"
        f" where the cases differ (default: {KEPT_FOLDER}/<version of onnx>.json)",
    )
    parser.add_argument(
        "--write-list",
        type=Path,
        metavar="FILE",
        help="write a digest list of the cases, to be kept and used with --verify",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Collect the cases, then write and verify as the options say."""
    from ..importing.writing import check_output, write

    if not (arguments.output or arguments.verify or arguments.write_list):
        raise UsageError("give --output DIR, --verify, --write-list FILE, or several of them")
    if arguments.output:
        check_output(arguments.output)  # before several seconds of work, not after
    started = time.perf_counter()
    cases, version = _collect(arguments.operators)
    if len(cases) < arguments.min_cases:
        raise IncompleteError(
            f"onnx {version} gives {len(cases)} cases, fewer than --min-cases"
            f" {arguments.min_cases}; nothing was written"
        )
    if arguments.output:
        write(cases, version, arguments.output)
        seconds = time.perf_counter() - started
        print(f"{arguments.output}: {len(cases)} cases of onnx {version} ({seconds:.1f} s)")
    if arguments.write_list:
        _write_list(cases, version, arguments.write_list)
    if arguments.verify:
        return _verify(cases, version, arguments.verify, selected=bool(arguments.operators))
    return ExitCode.OK


def _collect(operators: Sequence[str]) -> tuple[list[ImportedCase], str]:
    import onnx

    from ..importing.cases import files_of, vector_of
    from ..importing.collecting import collect
    from ..importing.writing import ImportedCase

    upstream = collect()
    chosen = {name.lower() for name in operators}
    known = {case.node.op_type.lower() for case in upstream}
    for name in operators:
        if name.lower() not in known:
            raise UsageError(f"onnx {onnx.__version__} has no node test of an operator '{name}'")
    cases = []
    for case in upstream:
        if chosen and case.node.op_type.lower() not in chosen:
            continue
        vector = vector_of(case, onnx.__version__)
        cases.append(ImportedCase(vector, files_of(case, vector)))
    return cases, onnx.__version__


def _write_list(cases: Sequence[ImportedCase], version: str, path: Path) -> None:
    from ..importing.kept import list_of, made_with

    write_whole(path, list_of(cases, version, made_with()))
    print(f"{path}: digests of {len(cases)} cases")


def _verify(cases: Sequence[ImportedCase], version: str, reference: Path, *, selected: bool) -> int:
    from onnx_conformance.core.corpus.corpus import open_corpus

    from ..importing.kept import read_list
    from ..importing.verifying import against_folder, against_list

    if reference == KEPT_FOLDER:
        reference = KEPT_FOLDER / f"{version}.json"
        if not reference.is_file():
            raise UsageError(
                f"there is no list {reference} here; name one, or a folder, after --verify"
            )
    if reference.is_dir():
        differences = against_folder(cases, open_corpus(reference), selected=selected)
        made = ""
    else:
        kept = read_list(reference)
        differences = against_list(cases, kept, selected=selected)
        made = ", made with " + ", ".join(f"{key} {value}" for key, value in kept.made_with.items())
    if not differences:
        print(f"{len(cases)} cases of onnx {version} are those of {reference}{made}")
        return ExitCode.OK
    _show(differences)
    print(
        f"{len(differences)} of {len(cases)} cases of onnx {version} differ from {reference}{made}",
        file=sys.stderr,
    )
    return ExitCode.BAD_INPUT


def _show(differences: Iterable[CaseDifference]) -> None:
    for difference in differences:
        for line in difference.lines:
            print(f"{difference.id}: {line}")
