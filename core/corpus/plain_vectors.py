"""Vectors without our data.json: a checkout of ONNX's on-disk tests, or anything in that layout.

    <anything>/test_abs/
      model.onnx
      test_data_set_0/{input_0.pb, output_0.pb}
      data.json            optional: {"rtol": ..., "atol": ...}, where ONNX's own loader reads them

The id is the directory's path below the folder that was opened. The facts that our data.json would
give are read from the model; tolerances default to those of ONNX's loader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..documents import parsed
from ..errors import BadInputError
from ..values.onnx_values import TENSOR, kind_of, type_text
from .soundness import check_asks
from .vectors import ABSENT_INPUTS, DATA_FILE, MODEL_FILE, VALUE_KINDS, Kind, Vector

if TYPE_CHECKING:
    import onnx

# The tolerances of ONNX's loader if a directory gives none (onnx/backend/test/loader).
DEFAULT_RTOL = 1e-3
DEFAULT_ATOL = 1e-7
FORM = "plain"


def is_plain(document: Any) -> bool:  # noqa: ANN401  a data.json
    """Whether a data.json is ONNX's and not ours: ours has an id."""
    return isinstance(document, dict) and "id" not in document


def plain_vector(vector_id: str, files: Mapping[str, bytes], where: str) -> Vector:
    """The vector of a directory that has no data.json of ours.

    Raises BadInputError if there is no model, or none that can be read.
    """
    model = _model(files, where)
    operator, domain = _operator(model)
    opset = _opset(model, domain)
    _require_texts(model, where)
    inputs = tuple(item.name for item in model.graph.input)
    rtol, atol = _tolerances(files, where)
    try:
        types, kinds = _types(model.graph)
    except BadInputError as error:
        raise BadInputError(f"{where}/{MODEL_FILE}: {error}") from None
    vector = Vector(
        id=vector_id,
        kind=Kind.VALID,
        operator=operator,
        domain=domain,
        since_version=_since_version(operator, domain, opset),
        opset=opset,
        ir_version=model.ir_version,
        types=types,
        case=vector_id.rsplit("/", 1)[-1],
        form=FORM,
        covers=(),
        documented=None,
        rtol=rtol,
        atol=atol,
        inputs=inputs,
        outputs=tuple(item.name for item in model.graph.output),
        extra={VALUE_KINDS: kinds, ABSENT_INPUTS: _absent(inputs, files)},
    )
    check_asks(vector, f"{where}/{MODEL_FILE}")
    return vector


def _model(files: Mapping[str, bytes], where: str) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    if MODEL_FILE not in files:
        hint = "; its data.json says where ONNX downloads the model" if DATA_FILE in files else ""
        raise BadInputError(f"{where}: has no {MODEL_FILE}{hint}")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(files[MODEL_FILE])
    except DecodeError as error:
        raise BadInputError(f"{where}/{MODEL_FILE}: is not a readable model: {error}") from None
    return model


def _require_texts(model: onnx.ModelProto, where: str) -> None:
    """Raise BadInputError if a name is not UTF-8: protobuf returns such a text as bytes."""
    names: list[object] = [item.name for item in (*model.graph.input, *model.graph.output)]
    names += [text for node in model.graph.node for text in (node.op_type, node.domain)]
    names += [item.domain for item in model.opset_import]
    bad = next((name for name in names if not isinstance(name, str)), None)
    if bad is not None:
        raise BadInputError(f"{where}/{MODEL_FILE}: the name {bad!r} is no UTF-8")


def _operator(model: onnx.ModelProto) -> tuple[str, str]:
    """Operator and domain of a model with one node; empty texts for any other number of nodes."""
    if len(model.graph.node) != 1:
        return "", ""
    node = model.graph.node[0]
    return node.op_type, "" if node.domain == "ai.onnx" else node.domain


def _opset(model: onnx.ModelProto, domain: str) -> int:
    versions = {
        "" if item.domain == "ai.onnx" else item.domain: item.version for item in model.opset_import
    }
    # An old model without an import means opset 1.
    return versions.get(domain, next(iter(versions.values()), 1))


def _since_version(operator: str, domain: str, opset: int) -> int:
    """The version of the operator, or 0 if the installed onnx does not know it."""
    import onnx

    if not operator or not 0 < opset < 1 << 31:
        return 0
    try:
        schema = onnx.defs.get_schema(operator, opset, domain)
    except onnx.defs.SchemaError:
        return 0
    return int(schema.since_version)


def _types(graph: onnx.GraphProto) -> tuple[dict[str, str], dict[str, str]]:
    """The declared types by name, and the kinds of those that are not tensors."""
    types = {}
    kinds = {}
    for item in (*graph.input, *graph.output):
        types[item.name] = type_text(item.type)
        kind = kind_of(item.type)
        if kind != TENSOR:
            kinds[item.name] = kind
    return types, kinds


def _absent(inputs: Sequence[str], files: Mapping[str, bytes]) -> list[str]:
    """Names of graph inputs for which some data set has no file.

    They are defaults that may be overridden (initializers), or optional inputs left out.
    """
    sets = {name.split("/")[0] for name in files if name.startswith("test_data_set_")}
    return [
        name
        for index, name in enumerate(inputs)
        if any(f"{folder}/input_{index}.pb" not in files for folder in sets)
    ]


def _tolerances(files: Mapping[str, bytes], where: str) -> tuple[float, float]:
    if DATA_FILE not in files:
        return DEFAULT_RTOL, DEFAULT_ATOL
    try:
        document = parsed(files[DATA_FILE])
        return (
            float(document.get("rtol", DEFAULT_RTOL)),
            float(document.get("atol", DEFAULT_ATOL)),
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInputError(f"{where}/{DATA_FILE}: cannot be used: {error}") from None
