"""`onnx-validate model FILE`: what a model uses, and whether a runtime does that right."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import ExitCode, IncompleteError
from onnx_conformance.core.files import require_own_files, write_whole

from .shared.reading import read_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

EPILOG = """\
A use is one way in which nodes call an operator: its version, types, ranks and attributes. exit
codes: 0 every use passes, or no results were given; 1 a use fails or is not supported; 2 usage; 3
the file holds no model, or another file cannot be used; 5 the model has no nodes, or a use was not
run, has no vector, or its vectors prove nothing. Where several apply, the highest
"""
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
    for name, line in FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {line}")
    parser.add_argument(
        "--verbose", action="store_true", help="list every use with its nodes, not the worst"
    )


def execute(arguments: argparse.Namespace) -> int:
    """List the uses, look up what is known of them, and print it."""
    from ..models.answer import answer_of
    from ..models.evidence import runtimes_of
    from ..reports.model.facts import document_of

    require_own_files(
        [
            ("the model", arguments.model),
            *((f"the results {path}", path) for path in arguments.results),
            *((f"--{name}", getattr(arguments, name)) for name in FORMATS),
        ]
    )
    from onnx_conformance.core.models.listing import list_uses

    model = list_uses(arguments.model)
    if not model.nodes:
        raise IncompleteError(f"{arguments.model}: has no nodes: there is nothing to say of it")
    runtimes = runtimes_of(read_runs(arguments.results)) if arguments.results else ()
    document = document_of(answer_of(model, open_vectors(arguments.vectors), runtimes))
    _write(arguments, document)
    return _exit_code(document)


def _write(arguments: argparse.Namespace, document: dict[str, Any]) -> None:
    """Write the files that were asked for, and print the report."""
    from ..reports.model.facts import render_json
    from ..reports.model.markdown import render_markdown
    from ..reports.model.page import render_page
    from ..reports.model.terminal import lines_of
    from ..reports.terminal import printable

    renderers = {"json": render_json, "markdown": render_markdown, "html": render_page}
    for name, render in renderers.items():
        path = getattr(arguments, name)
        if path is not None:
            write_whole(path, render(document))
    for line in lines_of(document, everything=arguments.verbose):
        print(printable(line, sys.stdout))


def _exit_code(document: Mapping[str, Any]) -> int:
    """The highest that applies; without results nothing was asked of a runtime."""
    statuses = {item["status"] for line in document["uses"] for item in line["evidence"]}
    if statuses - {"pass", "fail", "unsupported"}:
        return ExitCode.INCOMPLETE
    return ExitCode.UNEXPECTED if statuses - {"pass"} else ExitCode.OK
