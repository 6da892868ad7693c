"""`onnx-vectors from-model FILE --output DIR`: vectors cut from a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, IncompleteError
from onnx_conformance.core.models.cutting import add_dimensions
from onnx_conformance.core.text import one_line, quantity

if TYPE_CHECKING:
    import argparse

    from ..cutting.cutting import Cut

EPILOG = """\
Each use of the model becomes a vector, which `onnx-validate run --vectors DIR` takes. exit codes:
0 every use has a vector; 2 usage; 3 the file holds no model, or another file cannot be used; 5 a
use has none, which is said with the reason; where none has, nothing is written
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("model", type=Path, metavar="MODEL", help="the model, a .onnx file")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="folder to write; it is replaced as a whole",
    )
    parser.add_argument(
        "--inputs",
        type=Path,
        metavar="PATH",
        help="values of the graph's inputs: a folder with input_0.pb and so on, as test_data_set_0"
        " has them, or an .npz file with their names (default: drawn)",
    )
    add_dimensions(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Cut the model and write the vectors."""
    from onnx_conformance.core.models.listing import list_uses

    from ..cutting.cutting import Options, cut_model
    from ..cutting.feeding import read_inputs
    from ..cutting.writing import check_output, write_cut

    check_output(arguments.output)
    started = time.perf_counter()
    model = list_uses(arguments.model)
    fed = {} if arguments.inputs is None else read_inputs(arguments.inputs, model.opened.proto)
    cut = cut_model(model, Options(dimensions=dict(arguments.dim), fed=fed))
    for line in (*model.remarks, *cut.remarks):
        print(f"note: {one_line(line, 400)}")
    _say(cut)
    if not cut.vectors:
        raise IncompleteError(f"{arguments.model}: no use has a vector; nothing was written")
    write_cut(cut.vectors, model.opened.digest, arguments.output)
    seconds = time.perf_counter() - started
    used = quantity(len(model.found), "use")
    print(f"{arguments.output}: {quantity(len(cut.vectors), 'vector')} of {used} ({seconds:.1f} s)")
    return ExitCode.INCOMPLETE if cut.refused else ExitCode.OK


def _say(cut: Cut) -> None:
    """Print the uses without a vector, and how many have smaller shapes than their own."""
    for use, reason in cut.refused:
        name = f"{use.name}-{use.since_version}" if use.since_version else use.name
        words = f"{name} {use.type_words} {use.attribute_words}"
        print(f"no vector of {one_line(words, 120)}: {one_line(reason, 300)}")
    reduced = {item.use for item in cut.vectors if item.shapes == "reduced"}
    if reduced:
        print(
            f"{quantity(len(reduced), 'use has', 'uses have')} smaller dimensions than the model's"
        )
