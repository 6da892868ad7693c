"""A folder of small specs to start from: each test changes one thing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from places import ROOT

from onnx_conformance.generators.corpus.making import build_all, plan_corpus
from onnx_conformance.generators.planning.reading import read_specs

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.building import Built
    from onnx_conformance.generators.corpus.making import CorpusPlan
    from onnx_conformance.generators.specs.model import CorpusFacts, Spec

REAL = ROOT / "specs"

CORPUS = """\
version: "0.0.1"
newest_opset: 18
ir_versions: {1: 3, 9: 4, 11: 6, 15: 8}
"""

TYPES = """\
floats: [float16, float32, float64]
some: [floats, int32, string]
"""

# Facts of Reshape in small: an attribute that became an input, one that came later.
RESHAPE = """\
operator: Reshape
element_types: {default: float32}

versions:
  1:
    types: {T: floats}
    inputs: {data: T}
    outputs: {reshaped: {type: T, elements: data}}
    attributes: {shape: ints}
  5:
    types: {T: some}
    inputs: {data: T, shape: int64}
    attributes: {}
  14:
    attributes: {allowzero: {type: int, default: 0}}

requirements:
  - id: requested-shape
    text: The output has the requested shape.
    source: {document: Reshape-14, part: Summary}
  - id: literal-zero
    since: 14
    text: With allowzero=1 a 0 is a dimension of 0.
    source: {document: Reshape-14, part: Summary}
  - id: shape-int64
    since: 5
    text: The shape has the element type int64.
    source: {document: Reshape-5, part: Inputs}

cases:
  - id: two_dims
    covers: [requested-shape]
    spread: [everywhere, types]
    inputs: {data: [2, 3], shape: [3, 2]}
    outputs: {reshaped: [3, 2]}
  - id: zero
    covers: [literal-zero]
    spread: everywhere
    attributes: {allowzero: 1}
    inputs: {data: [0, 3], shape: [3, 0]}
    outputs: {reshaped: [3, 0]}
  - id: allowzero_2
    covers: [literal-zero]
    spread: everywhere
    attributes: {allowzero: 2}
    inputs: {data: [0, 3], shape: [3, 0]}
    permitted:
      - taken: literal
        reason: any value but 0 sets the attribute
        outputs: {reshaped: [3, 0]}
      - taken: rejected
        reason: only 1 has a meaning

invalid:
  - id: too_many
    covers: [requested-shape]
    spread: everywhere
    inputs: {data: [2, 3], shape: [7]}
    control: two_dims
    reject: run
    fault: {ranks: {reshaped: 1}}
  - id: shape_is_int32
    covers: [shape-int64]
    spread: everywhere
    inputs: {data: [2, 3], shape: {values: [3, 2], type: int32}}
    control: two_dims
    reject: load

withdrawn: [gone]
"""


def write_specs(
    folder: Path, spec: str = RESHAPE, *, types: str = TYPES, corpus: str = CORPUS
) -> Path:
    """Write the folder and return it; the spec is `reshape.yaml`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.yaml").write_text(corpus, "utf-8")
    (folder / "types.yaml").write_text(types, "utf-8")
    (folder / "reshape.yaml").write_text(spec, "utf-8")
    return folder


def changed(old: str, new: str, text: str = RESHAPE) -> str:
    """The text with one passage replaced, which must be there once."""
    assert 1 == text.count(old), old
    return text.replace(old, new)


def line_of(passage: str, text: str) -> int:
    """The line, from 1, on which a passage first stands."""
    assert passage in text, passage
    return text.count("\n", 0, text.index(passage)) + 1


def plan_sample(folder: Path, text: str = RESHAPE, profile: str = "standard") -> CorpusPlan:
    """The plan of a folder with one spec."""
    return plan_corpus(write_specs(folder, text), profile)


def ids_of(folder: Path, text: str = RESHAPE, profile: str = "standard") -> list[str]:
    """The ids that a spec stands for."""
    return [plan.id for plan in plan_sample(folder, text, profile).plans]


def built_from(folder: Path, text: str = RESHAPE, profile: str = "standard") -> dict[str, Built]:
    """Every vector of a spec, by id, in memory."""
    return {built.vector.id: built for built in build_all(plan_sample(folder, text, profile))}


def write_real(folder: Path, **specs: str) -> Path:
    """A folder with the facts, types and schemas of the repository, and specs by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("corpus.yaml", "types.yaml", "schemas.json"):
        (folder / name).write_bytes((REAL / name).read_bytes())
    for name, text in specs.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return folder


def read_real(folder: Path, text: str) -> tuple[CorpusFacts, Spec]:
    """The spec of an operator that ONNX's schemas have."""
    facts, (spec,) = read_specs(write_real(folder, spec=text))
    return facts, spec
