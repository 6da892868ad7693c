"""Specs with the forms and families that they name, as the other modules use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.yaml.nodes import Node

from ..families.reading import Settled, add_families, templates_of
from ..forms import all_forms
from ..specs.model import CorpusFacts, Spec
from ..specs.reading import Vocabulary, specs_in


def read_specs(
    folder: Path,
    operators: Sequence[str] = (),
    settled: Settled | None = None,
    package: str = "",
) -> tuple[CorpusFacts, tuple[Spec, ...]]:
    """Every spec in a folder, by file name; BadInputError if one is unusable.

    Args:
        folder: folder of the specs.
        operators: names of the files to read (without their ending); empty means all.
        settled: which cases the corpus has; None if nothing is listed.
        package: the package with their oracles; empty for the oracles here.
    """

    def families(spec: Spec, facts: CorpusFacts, nodes: tuple[Node, ...]) -> Spec:
        return add_families(replace(spec, package=package), facts, nodes, settled)

    facts, specs = specs_in(
        folder, Vocabulary(tuple(all_forms()), templates_of, families), operators
    )
    return facts, tuple(replace(spec, package=package) for spec in specs)
