"""A corpus folder of data.json files only: enough to select from, too little to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Corpus, Entry, open_corpus
from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.corpus.vectors import Kind, Permitted, Vector, relative_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def small_vector(vector_id: str, kind: str = "valid", **changes: object) -> Vector:
    """A vector with the metadata that its id suggests."""
    folder, case, variant = vector_id.split("/")
    operator, _, version = folder.rpartition("-")
    element, _, form = variant.partition(".")
    values = {
        "id": vector_id,
        "kind": kind,
        "operator": operator.capitalize(),
        "since_version": int(version),
        "opset": int(version),
        "ir_version": 10,
        "types": {"T": element},
        "case": case,
        "form": form or "graph_inputs",
        "covers": (f"requirement-of-{case}",),
        "documented": None,
        "rtol": 0.0,
        "atol": 0.0,
        "inputs": ("data",),
        "outputs": ("shape",),
    }
    if kind == "latitude":
        values["permitted"] = (Permitted("refused", "nothing says more", None),)
    values |= changes
    values["kind"] = Kind(values["kind"])
    return Vector(**values)  # type: ignore[arg-type]


def entries_of(ids: Iterable[str], kinds: Mapping[str, str] | None = None) -> dict[str, Entry]:
    """The entries of a corpus that is nowhere on disk; valid vectors unless told."""
    return {
        item: Entry(item, Kind((kinds or {}).get(item, "valid")), Path(item), None) for item in ids
    }


def write_corpus(root: Path, vectors: Iterable[Vector]) -> Corpus:
    """Write the vectors' data.json files and a manifest, and open the folder."""
    listed: dict[str, dict[str, str]] = {"valid": {}, "invalid": {}, "latitude": {}}
    for vector in vectors:
        directory = root / relative_directory(vector.kind, vector.id)
        directory.mkdir(parents=True)
        (directory / "data.json").write_text(json.dumps(to_json(vector)))
        listed[vector.kind][vector.id] = digest(read_files(directory))
    manifest = {"format": 1, "corpus": "test", "vectors": listed}
    root.mkdir(exist_ok=True)
    (root / "manifest.json").write_text(json.dumps(manifest))
    return open_corpus(root)
