"""A corpus of one vector with limits, which a harness that is right about it meets as `gpu` only.

Its model is Shape's, so that a harness of a few lines can run it, and its limits are of integers:
the harness answers [2, 3] where [2, 5] is expected, `ieee` takes 4 to 6, `gpu` 3 to 9.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import TYPE_CHECKING

from runnable_corpus import shape_vector, write_manifest, write_vector

from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vector_files import limit_files
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Bounded, Tensor

if TYPE_CHECKING:
    from pathlib import Path

LIMITED = "shape-15/limited/float32"
EXACT = "shape-15/two/float32"
RULE = "two either way, four on a device"


def limited_corpus(root: Path, ieee: tuple[int, int] = (4, 6)) -> Path:
    """Write the vector, whose last element `ieee` takes in a range, and an exact one beside it."""
    low, high = ieee
    gpu = (_pair(2, 3), _pair(2, 9)) if low < high else (_pair(2, low), _pair(2, high))
    vector = dataclasses.replace(shape_vector(LIMITED), rtol=0.5, accuracy={"rule": RULE})
    write_vector(root, vector)
    write_vector(root, shape_vector(EXACT))
    folder = root / relative_directory("valid", LIMITED)
    (folder / "data.json").write_text(json.dumps(to_json(vector)))
    value = Bounded(
        "int64",
        (2,),
        _pair(2, 5).data,
        {"ieee": (_pair(2, low), _pair(2, high)), "gpu": gpu},
    )
    files = {"test_data_set_0/output_0.pb": to_proto(value, "shape").SerializeToString()}
    files.update(limit_files("test_data_set_0", 0, value, "shape"))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    write_manifest(root)
    return root


def _pair(*values: int) -> Tensor:
    return Tensor("int64", (len(values),), struct.pack(f"<{len(values)}q", *values))
