"""Which combinations stand in a corpus: pairs of element type, form and situation, by classes.

    python benchmarks/combinations.py [--vectors build/vectors] [--operators]

Of the newest version of each operator, and of valid vectors alone: what is invalid or open is told
in the plain form. A pair of an operator could stand where both of its halves stand for it: a type
class that the version lists, a form or a situation that some vector of it has. The same is counted
for all operators together, where a pair stands if one operator has it, and could stand if one
operator has both of its halves.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from itertools import combinations, product
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


def pairs(
    triples: Iterable[tuple[str, str, str]], a: int, b: int
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The pairs of two kinds that stand in some vectors of an operator, and those that could."""
    triples = list(triples)
    stand = {(item[a], item[b]) for item in triples}
    return stand, set(product({item[a] for item in triples}, {item[b] for item in triples}))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--vectors", type=Path, default=ROOT / "build" / "vectors")
    parser.add_argument("--operators", action="store_true", help="a line for each operator")
    arguments = parser.parse_args()
    found = measure(arguments.vectors)
    lines: dict[str, list[str]] = defaultdict(list)
    missing: dict[str, list[str]] = defaultdict(list)
    for a, b in combinations(range(3), 2):
        by_operator = {name: pairs(triples, a, b) for name, triples in found.items()}
        for name, (stand, could) in by_operator.items():
            lines[name].append(f"{len(stand)}/{len(could)}")
        standing = sum(len(stand) for stand, _ in by_operator.values())
        possible = sum(len(could) for _, could in by_operator.values())
        anywhere = set().union(*(stand for stand, _ in by_operator.values()))
        nowhere = set().union(*(could for _, could in by_operator.values())) - anywhere
        total = len(anywhere) + len(nowhere)
        print(
            f"({KINDS[a]}, {KINDS[b]}): {standing} of {possible} by operator"
            f" ({standing / possible:.0%}); {len(anywhere)} of {total} in the corpus"
            f" ({len(anywhere) / total:.0%})"
        )
        for one, other in sorted(nowhere, key=lambda pair: pair[::-1]):
            missing[other].append(one)
    for name, texts in sorted(lines.items()) if arguments.operators else ():
        print(name, *texts)
    for name, kinds in missing.items():
        print(f"  {name}: never {', '.join(kinds)}")


if __name__ == "__main__":
    main()
