"""Where imported cases differ from a reference, and by how much: bytes, then ulps.

The reference is a folder that was imported elsewhere, or a digest list (`kept`). A list only tells
which part of which case differs; a folder also tells by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Corpus, load
from onnx_conformance.core.corpus.vectors import DATA_FILE, VALUE_KINDS, Vector
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.onnx_values import TENSOR, parse_value

from .kept import KeptList

if TYPE_CHECKING:
    from .writing import ImportedCase

MISSING = "missing here"
ADDITIONAL = "not in the reference"


@dataclass(frozen=True)
class CaseDifference:
    """The differences of one case: its id, and one line for each part or file."""

    #: Of the imported case.
    id: str
    #: What differs, one line for each part or file.
    lines: tuple[str, ...]


def against_folder(
    cases: Sequence[ImportedCase], reference: Corpus, *, selected: bool
) -> list[CaseDifference]:
    """Compare with the files of a folder; BadInputError if the folder itself is damaged.

    Args:
        cases: the cases of the installed onnx.
        reference: the folder.
        selected: whether `cases` is a selection, so that others are not missing.
    """

    def lines(case: ImportedCase) -> Iterable[str]:
        other = load(reference.entries[case.vector.id]).files
        return _file_differences(case.vector, case.files, other)

    return _differences(cases, reference.entries, lines, selected=selected)


def against_list(
    cases: Sequence[ImportedCase], reference: KeptList, *, selected: bool
) -> list[CaseDifference]:
    """Compare with a digest list: which of model, inputs and outputs of each case differ."""
    from .kept import digests_of

    def lines(case: ImportedCase) -> Iterable[str]:
        here, expected = digests_of(case), reference.digests[case.vector.id]
        return (f"{part}: other bytes" for part in here if here[part] != expected.get(part))

    return _differences(cases, reference.digests, lines, selected=selected)


def _differences(
    cases: Sequence[ImportedCase],
    reference: Collection[str],
    lines_of: Callable[[ImportedCase], Iterable[str]],
    *,
    selected: bool,
) -> list[CaseDifference]:
    """What is on one side alone, and what `lines_of` says of the rest; by id."""
    found = []
    for case in cases:
        known = case.vector.id in reference
        lines = tuple(lines_of(case)) if known else (ADDITIONAL,)
        if lines:
            found.append(CaseDifference(case.vector.id, lines))
    if not selected:
        here = {case.vector.id for case in cases}
        found += [CaseDifference(item, (MISSING,)) for item in reference if item not in here]
    return sorted(found, key=lambda item: item.id)


def _file_differences(
    vector: Vector, here: Mapping[str, bytes], there: Mapping[str, bytes]
) -> Iterable[str]:
    for name in sorted({*here, *there}):
        if name == DATA_FILE:
            continue  # metadata; the parts that are run are in the other files
        if name not in there:
            yield f"{name}: {ADDITIONAL}"
        elif name not in here:
            yield f"{name}: {MISSING}"
        elif here[name] != there[name]:
            yield f"{name}: {_distance(vector, name, here[name], there[name])}"


def _distance(vector: Vector, name: str, here: bytes, there: bytes) -> str:
    """The difference in bytes, and what it means: which elements differ, and by how many ulps."""
    length = f" of {len(there)}" if len(here) == len(there) else f"; {len(there)} -> {len(here)}"
    changed = sum(one != two for one, two in zip(here, there, strict=False))
    text = f"{changed}{length} bytes differ"
    if not name.endswith(".pb"):
        return text
    role, _, index = name.rsplit("/", 1)[-1].removesuffix(".pb").partition("_")
    names = vector.inputs if role == "input" else vector.outputs
    kind = vector.extra.get(VALUE_KINDS, {}).get(names[int(index)], TENSOR)
    try:
        comparison = compare(parse_value(kind, there), parse_value(kind, here))
    except BadInputError as error:
        return f"{text}; {error}"
    difference = comparison.difference
    if difference is None:
        return f"{text}; the values are equal"
    if difference.aspect != "value" or "differing" not in difference.facts:
        return f"{text}; expected {difference.expected}, here {difference.got}"
    facts = difference.facts
    ulps = "" if comparison.max_ulp is None else f", at most {comparison.max_ulp} ulps apart"
    return (
        f"{text}; {facts['differing']} of {facts['elements']} elements differ{ulps}; first at"
        f" {difference.place}: {difference.expected}, here {difference.got}"
    )
