"""Which combinations stand in a corpus: pairs of element type, form and situation, by classes.

    python benchmarks/combinations.py [--vectors build/vectors] [--operators]

Of the newest version of each operator, and of valid vectors alone: what is invalid or open is told
in the plain form. A pair of an operator could stand where both of its halves stand for it: a type
class that the version lists, a form or a situation that some vector of it has. The same is counted
for all operators together, where a pair stands if one operator has it.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import onnx

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from onnx_conformance.core.corpus.vectors import Vector

ROOT = Path(__file__).parents[1]
KINDS = ("type", "form", "situation")
_LARGE = 64


def type_class(name: str) -> str:
    """Of an element type: what runtimes write one kernel for, or keep in one way."""
    try:
        element = element_type(name)
    except BadInputError:
        return "container"
    if element.kind == "float":
        if element.bits < 16:
            return "float8 and less"
        return {"float32": "float32", "float64": "float64"}.get(name, "float16")
    if element.kind in {"int", "uint"}:
        return "int4 and less" if element.bits < 8 else f"{element.kind}{element.bits}"
    return element.kind


def situation_class(model: onnx.ModelProto, vector: Vector, shape: Sequence[int] | None) -> str:
    """Of the node: whether it has attributes, and how large its first input is."""
    given = "attributes" if any(_attributes(model.graph, vector.operator)) else "defaults"
    if shape is None:
        return f"{given}, no tensor"
    if not shape:
        return f"{given}, scalar"
    count = math.prod(shape)
    size = "empty" if not count else "one" if count == 1 else "few" if count < _LARGE else "many"
    return f"{given}, {size}"


def _attributes(graph: onnx.GraphProto | onnx.FunctionProto, operator: str) -> Iterator[int]:
    for node in graph.node:
        if node.op_type == operator:
            yield len(node.attribute)
        for item in node.attribute:
            if item.HasField("g"):
                yield from _attributes(item.g, operator)


def measure(vectors: Path) -> dict[str, set[tuple[str, str, str]]]:
    """For each operator the triples that its newest version has."""
    newest: dict[str, int] = {}
    corpus = open_corpus(vectors).entries.values()
    for entry in corpus:
        name, _, version = entry.operator_version.rpartition("-")
        newest[name] = max(newest.get(name, 0), int(version))
    found: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for entry in corpus:
        name, _, version = entry.operator_version.rpartition("-")
        if entry.kind != Kind.VALID or int(version) != newest[name] or name in {"ir", "graphs"}:
            continue
        loaded = load(entry)
        vector = loaded.vector
        model = onnx.ModelProto.FromString(loaded.files["model.onnx"])
        types = [type_class(item) for item in vector.types.values()] or ["none"]
        shape = _first_shape(loaded.files.get("test_data_set_0/input_0.pb"))
        for item in types:
            found[name].add((item, vector.form, situation_class(model, vector, shape)))
    return found


def _first_shape(content: bytes | None) -> tuple[int, ...] | None:
    if content is None:
        return None
    try:
        proto = onnx.TensorProto.FromString(content)
    except Exception:  # a sequence or an optional
        return None
    return tuple(proto.dims)


def counted(triples: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], tuple[int, int]]:
    """By pair of kinds: how many pairs stand, and how many could."""
    triples = list(triples)
    result = {}
    for a, b in combinations(range(3), 2):
        stand = {(item[a], item[b]) for item in triples}
        could = len({item[a] for item in triples}) * len({item[b] for item in triples})
        result[KINDS[a], KINDS[b]] = (len(stand), could)
    return result


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors")
    parser.add_argument("--operators", action="store_true", help="a line for each operator")
    arguments = parser.parse_args()
    found = measure(arguments.vectors)
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for name, triples in sorted(found.items()):
        counts = counted(triples)
        for pair, (stand, could) in counts.items():
            sums[pair][0] += stand
            sums[pair][1] += could
        if arguments.operators:
            print(name, *(f"{stand}/{could}" for stand, could in counts.values()))
    together = counted({item for triples in found.values() for item in triples})
    for pair, (stand, could) in sums.items():
        every = together[pair]
        print(
            f"({', '.join(pair)}): {stand} of {could} by operator ({stand / could:.0%});"
            f" {every[0]} of {every[1]} in the corpus ({every[0] / every[1]:.0%})"
        )
    missing = defaultdict(list)
    standing = {(item[0], item[1]) for triples in found.values() for item in triples}
    for name in sorted({item[1] for item in standing}):
        for kind in sorted({item[0] for item in standing}):
            if (kind, name) not in standing:
                missing[name].append(kind)
    for name, kinds in missing.items():
        print(f"  {name}: never {', '.join(kinds)}")


if __name__ == "__main__":
    main()
