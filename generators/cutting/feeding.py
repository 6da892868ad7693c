"""Values for the inputs of a model from files: a data set of ONNX's layout, or an .npz file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.documents import read_plain
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import VECTOR_FILE
from onnx_conformance.core.values.onnx_values import TENSOR, kind_of, parse_value
from onnx_conformance.core.values.tensors import Value

if TYPE_CHECKING:
    import onnx


def read_inputs(path: Path, model: onnx.ModelProto) -> dict[str, Value]:
    """The values of a model's inputs by name.

    Args:
        path: a folder with `input_N.pb`, in the order of the inputs without an initializer, or the
            folder that holds one such `test_data_set_0`; or an .npz file with arrays by name.
        model: the model.

    Raises BadInputError if a file is missing or cannot be read, or if a name is no input.
    """
    stored = {item.name for item in model.graph.initializer}
    inputs = {item.name: item.type for item in model.graph.input if item.name not in stored}
    if path.suffix == ".npz":
        return _from_arrays(path, inputs)
    folder = path / "test_data_set_0" if (path / "test_data_set_0").is_dir() else path
    if not folder.is_dir():
        raise BadInputError(f"{path}: is neither a folder nor an .npz file")
    found: dict[str, Value] = {}
    for index, (name, declared) in enumerate(inputs.items()):
        file = folder / f"input_{index}.pb"
        try:
            found[name] = parse_value(kind_of(declared), read_plain(file, VECTOR_FILE))
        except OSError as error:
            raise BadInputError(
                f"{file}: cannot be read: {error.strerror or error}; the model has"
                f" {len(inputs)} inputs: {', '.join(inputs)}"
            ) from None
    return found


def _from_arrays(path: Path, inputs: Mapping[str, onnx.TypeProto]) -> dict[str, Value]:
    import numpy as np
    from onnx import numpy_helper

    try:
        with np.load(path, allow_pickle=False) as arrays:
            given = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}") from None
    missing = [name for name in inputs if name not in given]
    strange = [name for name in given if name not in inputs]
    if missing or strange:
        raise BadInputError(
            f"{path}: has {', '.join(given) or 'nothing'}; the model's inputs are"
            f" {', '.join(inputs) or 'none'}"
        )
    found: dict[str, Value] = {}
    for name, array in given.items():
        declared = inputs[name]
        if kind_of(declared) != TENSOR:
            raise BadInputError(f"{path}: '{name}' is no tensor in the model")
        proto = numpy_helper.from_array(np.ascontiguousarray(array), name)
        if proto.data_type != declared.tensor_type.elem_type:
            raise BadInputError(
                f"{path}: '{name}' is {array.dtype}, which is not what the model declares"
            )
        found[name] = parse_value(TENSOR, proto.SerializeToString())
    return found
