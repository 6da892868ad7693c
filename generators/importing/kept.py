"""Digest lists of each onnx version's cases: small files, without a copy of any value.

    {"format": 1, "onnx": "1.23.2", "made_with": {"numpy": ..., "platform": ...},
     "cases": {"abs-13/test_abs/node": "<model> <inputs> <outputs>"}}

The three digests are the first 12 hexadecimal digits of a SHA-256 each. Our own metadata is not
included: a list stays valid when our data.json changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from .writing import ImportedCase

FORMAT = 1
DIGITS = 12
PARTS = ("model", "inputs", "outputs")


@dataclass(frozen=True)
class KeptList:
    """A digest list.

    Attributes:
        onnx: version of the onnx package.
        made_with: other installed packages, e.g. {"numpy": "2.4.6"}.
        digests: digests of model, inputs and outputs of each case, by id.
    """

    onnx: str
    made_with: Mapping[str, str]
    digests: Mapping[str, Mapping[str, str]]


def digests_of(case: ImportedCase) -> dict[str, str]:
    """The digests of a case's model, inputs and outputs."""
    groups = {
        "model": [MODEL_FILE],
        "inputs": sorted(name for name in case.files if "/input_" in name),
        "outputs": sorted(name for name in case.files if "/output_" in name),
    }
    result = {}
    for part, names in groups.items():
        total = hashlib.sha256()
        for name in names:
            total.update(name.encode() + b"\0" + hashlib.sha256(case.files[name]).digest())
        result[part] = total.hexdigest()[:DIGITS]
    return result


def made_with() -> dict[str, str]:
    """What the expected values depend on beside onnx: NumPy, and the CPU features that it uses.

    For each generation of processors NumPy computes elementary functions and sums in another way,
    with another last digit.
    """
    import platform

    import numpy as np

    core = getattr(np, "_core", None) or np.core
    features = getattr(core._multiarray_umath, "__cpu_features__", {})  # noqa: SLF001  NumPy only prints them otherwise
    enabled = [name for name, found in features.items() if found]
    return {
        "numpy": np.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "simd": enabled[-1] if enabled else "unknown",
    }


def list_of(cases: Iterable[ImportedCase], onnx_version: str, made_with: Mapping[str, str]) -> str:
    """The content of a digest list, one line a case."""
    head = {"format": FORMAT, "onnx": onnx_version, "made_with": dict(made_with)}
    lines = [
        f"  {json.dumps(case.vector.id)}: {json.dumps(' '.join(digests_of(case).values()))}"
        for case in sorted(cases, key=lambda case: case.vector.id)
    ]
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": {\n' + ",\n".join(lines) + "\n }\n}\n"


def read_list(path: Path) -> KeptList:
    """Read a digest list; BadInputError if the file is not one."""
    try:
        document = json.loads(path.read_bytes())
        if document["format"] != FORMAT:
            raise BadInputError(
                f"{path}: has format {document['format']!r}; this version reads {FORMAT}"
            )
        digests = {
            name: dict(zip(PARTS, text.split(" "), strict=True))
            for name, text in document["cases"].items()
        }
        return KeptList(document["onnx"], document["made_with"], digests)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a digest list: {error!r}") from None
