"""`onnx-validate model FILE`: what a model uses, and whether a runtime does that right.

May come in: arguments, printing, exit codes.
May not: what is known of a use (`models`), and how that looks (`reports.model`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors_folder import (
    add_vectors_argument,
    open_published,
    open_vectors,
)
from onnx_conformance.core.errors import ExitCode, IncompleteError, UsageError
from onnx_conformance.core.files import require_own_files, write_whole
from onnx_conformance.core.models.cutting import add_dimensions
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.models.opening import digests_of

from ...models.evidence import runtimes_of
from ...reports.model.certificate import certificate_of
from ...reports.model.facts import document_of, render_json
from ...reports.model.markdown import render_markdown
from ...reports.model.page import render_page
from ...reports.model.terminal import lines_of
from ...reports.terminal import printable
from ..shared.options import add_python
from ..shared.reading import read_runs
from .judging import judged

if TYPE_CHECKING:
    import argparse

EPILOG = """\
A use is one way in which nodes call an operator: its version, types, ranks and attributes. exit
codes: 0 every use passes, or nothing was asked of a runtime; 1 a use fails or is not supported, a
node of the model as a whole goes wrong, or the backend does not run the model; 2 usage; 3 the file
holds no model, or another file cannot be used; 4 the backend cannot be used; 5 the model has no
nodes, it could not be given to the backend, none of its nodes could be judged, or a use was not
run, has no vector, or its vectors prove nothing. Where several apply, the highest
"""
# Options that are about judging a backend.
_JUDGING = (
    "python",
    "inputs",
    "keep",
    "certificate",
    "dim",
    "uses_alone",
    "against",
    "against_python",
)
FORMATS = {
    "json": "the report as JSON, with every use, node and vector",
    "markdown": "the report as Markdown",
    "html": "the report as one page",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy"))
    parser.add_argument("model", type=Path, metavar="MODEL", help="the model, a .onnx file")
    parser.add_argument(
        "--results",
        type=Path,
        nargs="+",
        # Given again it names more; argparse would forget the earlier ones.
        action="extend",
        default=[],
        metavar="FILE",
        help="results files of runs, of any runtimes: what they made of the vectors of each use",
    )
    add_vectors_argument(parser)
    judging = parser.add_argument_group("judging a backend in one go")
    judging.add_argument(
        "--backend",
        metavar="NAME",
        help="cut vectors from the model, run this backend on them and on the model as a whole, and"
        " judge both: a backend of `onnx-validate backends`, python:MODULE or 'command:PROGRAM'",
    )
    add_python(judging)
    judging.add_argument(
        "--inputs",
        type=Path,
        metavar="PATH",
        help="values of the graph's inputs: a folder with input_0.pb and so on, or an .npz file"
        " (default: drawn)",
    )
    add_dimensions(judging)
    judging.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the vectors in this folder, which is replaced",
    )
    judging.add_argument(
        "--uses-alone", action="store_true", help="do not run the model as a whole"
    )
    judging.add_argument(
        "--against",
        metavar="NAME",
        help="another backend to compare the outputs of the whole model with: where they differ,"
        " the first node whose values do is named (default: the same runtime without optimization,"
        " where it has such a backend)",
    )
    judging.add_argument(
        "--against-python",
        metavar="PATH",
        help="interpreter that has the other runtime (default: this one)",
    )
    judging.add_argument(
        "--certificate",
        type=Path,
        metavar="FILE",
        help="write what was found for exactly this model and this runtime as JSON, and as a page"
        " beside it (FILE.html)",
    )
    for name, line in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {line}")
    parser.add_argument(
        "--verbose", action="store_true", help="list every use with its nodes, not the worst"
    )


def execute(arguments: argparse.Namespace) -> int:
    """List the uses, look up what is known of them, and print it."""
    _check(arguments)
    corpus = open_vectors(arguments.vectors)
    if arguments.vectors is None and corpus.manifest.get("profile") == "core":
        corpus = open_published()  # a clone's core is a sample, and the question is about all
    runs = read_runs(arguments.results) if arguments.results else []
    model = list_uses(arguments.model)
    if not model.nodes:
        raise IncompleteError(f"{arguments.model}: has no nodes: there is nothing to say of it")
    report, chain = None, None
    if arguments.backend is not None:
        found = judged(model, arguments)
        report, chain = found.report, found.chain
        runs += [] if found.results is None else [found.results]
    document = document_of(model, corpus, runtimes_of(runs), report, chain)
    beside = {}
    if arguments.certificate is not None:
        beside = digests_of(model.opened)
    _write(arguments, document, beside)
    return _exit_code(document, judged=arguments.backend is not None)


def _check(arguments: argparse.Namespace) -> None:
    """UsageError for options that contradict each other, or that name one file twice."""
    if arguments.backend is None:
        for name in _JUDGING:
            if getattr(arguments, name):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} needs --backend: it is about judging one")
    elif arguments.against_python is not None and arguments.against is None:
        raise UsageError("--against-python needs --against: it is the interpreter of that one")
    require_own_files(
        [
            ("the model", arguments.model),
            *((f"the results {path}", path) for path in arguments.results),
            *((f"--{name}", getattr(arguments, name)) for name in (*FORMATS, "certificate")),
        ]
    )


def _write(
    arguments: argparse.Namespace, document: dict[str, Any], beside: Mapping[str, str]
) -> None:
    """Write the files that were asked for, and print the report."""
    renderers = {"json": render_json, "markdown": render_markdown, "html": render_page}
    for name, render in renderers.items():
        path = getattr(arguments, name)
        if path is not None:
            write_whole(path, render(document))
    if arguments.certificate is not None:
        certificate = certificate_of(document, beside)
        write_whole(arguments.certificate, render_json(certificate))
        page = arguments.certificate.with_name(f"{arguments.certificate.name}.html")
        write_whole(page, render_page(certificate))
    for line in lines_of(document, everything=arguments.verbose):
        print(printable(line, sys.stdout))


def _exit_code(document: Mapping[str, Any], *, judged: bool) -> int:
    """The highest that applies; without results nothing was asked of a runtime."""
    statuses = {item["status"] for line in document["uses"] for item in line["evidence"]}
    chain = document.get("chain", {})
    # A backend of which nothing was learned has passed nothing.
    silent = judged and (not statuses or chain.get("runs", True) is None)
    silent = silent or (chain.get("runs") is True and not chain["judged"])
    if silent or statuses - {"pass", "fail", "unsupported"}:
        return ExitCode.INCOMPLETE
    # That optimizing changes outputs is told, and breaks no document by itself: one step of a
    # quantized value is a thousand times what two orders of a sum differ by.
    wrong = statuses - {"pass"} or chain.get("wrong") or chain.get("runs") is False
    return ExitCode.UNEXPECTED if wrong else ExitCode.OK
