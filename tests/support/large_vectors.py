"""Vectors of one node and large tensors, written by hand: what NumPy says of them is expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import onnx
from onnx import helper, numpy_helper
from small_corpus import small_vector

from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from onnx_conformance.core.corpus.listing.model import Listed

    Array = np.ndarray[Any, Any]


def large_vector(  # noqa: PLR0913, PLR0917  a vector has as many parts
    folder: Path,
    vector_id: str,
    operator: str,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, Array],
    attributes: Mapping[str, Any] | None = None,
) -> Listed:
    """Write a valid vector of one node below a folder, and return its line in a manifest."""
    version = int(vector_id.split("/", 1)[0].rpartition("-")[2])
    node = helper.make_node(operator, list(inputs), list(outputs), **(attributes or {}))
    graph = helper.make_graph([node], "g", _declared(inputs), _declared(outputs))
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10
    )
    vector = small_vector(
        vector_id,
        operator=operator,
        form="static",
        inputs=tuple(inputs),
        outputs=tuple(outputs),
    )
    files = {"model.onnx": model.SerializeToString()}
    for stem, values in (("input", inputs), ("output", outputs)):
        for at, (name, array) in enumerate(values.items()):
            content = numpy_helper.from_array(array, name).SerializeToString()
            files[f"test_data_set_0/{stem}_{at}.pb"] = content
    files["data.json"] = json.dumps(to_json(vector)).encode()
    place = folder / relative_directory(vector.kind, vector.id)
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    return listed(vector, digest(files), listed_size(files))


def write_listed(folder: Path, lines: Sequence[Listed]) -> Path:
    """Write the manifests of a folder."""
    for name, content in manifest_files({"corpus": "test"}, lines).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _declared(arrays: Mapping[str, Array]) -> list[onnx.ValueInfoProto]:
    return [
        helper.make_tensor_value_info(name, numpy_helper.from_array(array).data_type, array.shape)
        for name, array in arrays.items()
    ]
