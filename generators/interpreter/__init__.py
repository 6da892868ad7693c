"""Runs ONNX models on the oracles.

The result of every node is computed by its operator's oracle (`generators.oracle`), or by the
function body by which the standard defines it. Everything else that a model means is implemented
here: names and scopes, defaults, subgraphs, model-local functions, versions, and what makes a model
invalid. Source: onnx docs IR.md and Versioning.md.

| module       | what                                                                        |
|--------------|-----------------------------------------------------------------------------|
| outcomes     | how a model can be refused                                                  |
| model        | a model as data                                                             |
| reading      | ModelProto to that data                                                     |
| validity     | what can be wrong with a model before it runs; types, and what binds them   |
| scopes       | what a node sees while a model runs                                         |
| running      | nodes, subgraphs, functions                                                 |
| enclosing    | graphs evaluated on intervals                                               |
| programs     | the part of a graph that Gradient looks into                                |
| bodies       | the function bodies of the standard                                         |
| witnesses    | the standard's bodies and its shape inference as second sources             |
| server, harness | the backends `oracle`, `bodies` and `inference`: protocol 1              |

If a document leaves a result open, the first reading is used, unless the caller names another.

May come in: what a model means, whichever operators are in it.
May not: the semantics of an operator (`generators.oracle`), and specs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.values.tensors import Value

    from ..signatures.reading import Signatures

SPECS = Path(__file__).parents[2] / "specs"


@cache
def installed_signatures() -> Signatures:
    """The signatures of the snapshot that is installed with this package."""
    from ..signatures.reading import FILE_NAME, read_signatures

    return read_signatures(SPECS / FILE_NAME)


def run_model(
    model: onnx.ModelProto,
    feeds: Mapping[str, Value],
    folder: Path | None = None,
    readings: Mapping[str, str] | None = None,
) -> dict[str, Value]:
    """The outputs of a model by name.

    Args:
        model: the model.
        feeds: graph inputs by name.
        folder: the folder of the files with external data of tensors.
        readings: by question, the reading to use if a document leaves a result open.

    Raises RefusedError if the model, or a value fed to it, is invalid, and NoOracleError if a node
    has neither an oracle nor a function body.
    """
    from .reading import read_model
    from .running import Session
    from .validity.checking import check_model

    signatures = installed_signatures()
    read = read_model(model, folder)
    check_model(read, signatures)
    return Session(read, signatures, readings or {}).run(feeds)
