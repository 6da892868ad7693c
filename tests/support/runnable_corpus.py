"""A small corpus of Shape models that can really be run, also by a harness of a few lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from onnx import TensorProto, helper

from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.corpus.vectors import MODEL_FILE, Kind, Vector, relative_directory
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def shape_vector(vector_id: str, kind: str = "valid", **changes: object) -> Vector:
    """The metadata of a vector of Shape-15."""
    values = {
        "id": vector_id,
        "kind": Kind(kind),
        "operator": "Shape",
        "since_version": 15,
        "opset": 15,
        "ir_version": 8,
        "types": {"T": "float32"},
        "case": vector_id.split("/")[1],
        "form": "graph_inputs",
        "covers": (),
        "documented": None,
        "rtol": 0.0,
        "atol": 0.0,
        "inputs": ("data",),
        "outputs": ("shape",),
    }
    return Vector(**{**values, **changes})  # type: ignore[arg-type]


def write_vector(root: Path, vector: Vector, shapes: Iterable[tuple[int, ...]] = ((2, 3),)) -> None:
    """Write a vector: one data set for each shape that is fed."""
    directory = root / relative_directory(vector.kind, vector.id)
    directory.mkdir(parents=True)
    shapes = tuple(shapes)
    (directory / MODEL_FILE).write_bytes(_model(len(shapes[0])))
    (directory / "data.json").write_text(json.dumps(to_json(vector)))
    for index, shape in enumerate(shapes):
        folder = directory / f"test_data_set_{index}"
        folder.mkdir()
        data = Tensor("float32", shape, bytes(4 * _product(shape)))
        (folder / "input_0.pb").write_bytes(to_proto(data, "data").SerializeToString())
        if vector.expect == "outputs":
            expected = Tensor("int64", (len(shape),), b"".join(map(_int64, shape)))
            (folder / "output_0.pb").write_bytes(to_proto(expected, "shape").SerializeToString())


def write_manifest(root: Path) -> None:
    """Freeze the vectors in the folder, in the order in which they were written."""
    listed: dict[str, dict[str, str]] = {"valid": {}, "invalid": {}, "latitude": {}}
    for path in sorted(root.rglob("data.json"), key=lambda item: item.stat().st_mtime_ns):
        document = json.loads(path.read_text())
        listed[document["kind"]][document["id"]] = digest(read_files(path.parent))
    manifest = {"format": 1, "corpus": "test", "vectors": listed}
    (root / "manifest.json").write_text(json.dumps(manifest))


def runnable_corpus(root: Path, cases: Iterable[str], rows: int = 2) -> Path:
    """A corpus of one valid vector for each case, `shape-15/<case>/float32`."""
    root.mkdir(exist_ok=True)
    for number, case in enumerate(cases):
        # No two have the same answer: a reply that is taken for another's is a wrong value.
        write_vector(root, shape_vector(f"shape-15/{case}/float32"), [(rows, 3 + number)])
    write_manifest(root)
    return root


def _model(rank: int) -> bytes:
    dimensions = [f"d{axis}" for axis in range(rank)]
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, dimensions)
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [rank])
    graph = helper.make_graph(
        [helper.make_node("Shape", ["data"], ["shape"])], "g", [data], [shape]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    return bytes(model.SerializeToString())


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for item in shape:
        total *= item
    return total


def _int64(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)
