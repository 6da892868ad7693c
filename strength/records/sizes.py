"""What was measured last of faults of size, by operator: sizes.json, which is committed.

A line holds as long as its digest: that of the operator's vectors about sizes, of the faults, and
of what measures them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.manifests import read_version_manifests
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.markdown import table

from ..names import name_of
from ..sizes.arguments import Argument, argued, read_arguments
from ..sizes.measuring import Noticed
from ..vectors import is_of_sizes

FILE = Path(__file__).with_name("sizes.json")
_PACKAGE = Path(__file__).parents[1] / "sizes"
# The modules that decide what becomes of a fault.
_DECIDING = ("asking", "faults", "measuring", "places", "spoiling", "sums")
_FORMAT = 1
_RENEW = "`make mutants-sizes` renews it"
_DIGITS = 16
# Operators that the page names where more have the same.
_SHOWN = 12


@dataclass(frozen=True)
class SizesLine:
    """What was measured of one operator, and the digest of what that depends on."""

    digest: str
    found: Noticed


def digest_of(entries: Iterable[Entry | Listed]) -> str:
    """The digest of what a measurement with these vectors depends on."""
    total = hashlib.sha256()
    for name in _DECIDING:
        total.update((_PACKAGE / f"{name}.py").read_bytes())
    for entry in sorted(entries, key=lambda item: item.id):
        total.update(f"{entry.id} {entry.digest}\n".encode())
    return total.hexdigest()[:_DIGITS]


def digests_of_lock(manifest: Path) -> dict[str, str]:
    """For each operator with vectors about sizes, the digest of what its line depends on.

    Args:
        manifest: of the standard corpus, whose manifests are beside it.
    """
    document = json.loads(manifest.read_text(encoding="utf-8"))
    found: dict[str, list[Listed]] = {}
    for version in read_version_manifests(manifest.parent, document):
        named = name_of(version.domain, version.operator)
        lines = [line for line in version.vectors if is_of_sizes(line)]
        if lines:
            found.setdefault(named, []).extend(lines)
    return {name: digest_of(lines) for name, lines in found.items()}


def stale(lines: Mapping[str, SizesLine], now: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the record: lines that do not hold, faults that are open."""
    for name in sorted({*lines, *now}):
        if name not in now:
            yield f"{name}: the record has faults of size, and the corpus no vector; {_RENEW}"
        elif name not in lines:
            yield f"{name}: faults of size were never put before its vectors; {_RENEW}"
        elif lines[name].digest != now[name]:
            yield (
                f"{name}: its vectors about sizes, or the faults, changed since these were"
                f" measured; {_RENEW}"
            )
    for name, fault in without_argument(lines, read_arguments()):
        yield f"{name}: nothing notices '{fault}', and nothing is argued"


def read_sizes(path: Path = FILE) -> dict[str, SizesLine]:
    """The lines by operator; none where there is no file. BadInputError for what is no record."""
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        names = document["faults"]
        return {key: _line(key, item, names) for key, item in document["operators"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadInputError(
            f"{path}: no record of faults of size: {error!r}; delete it, and `make mutants-sizes`"
            " writes another"
        ) from None


def _line(name: str, item: Mapping[str, Any], names: Sequence[str]) -> SizesLine:
    noticed = {names[at]: vector for vector, places in item["noticed"].items() for at in places}
    survived = tuple(names[at] for at in item["survived"])
    idle = tuple(names[at] for at in item["idle"])
    return SizesLine(item["digest"], Noticed(name, item["vectors"], noticed, survived, idle))


def write_sizes(lines: Mapping[str, SizesLine], path: Path = FILE) -> None:
    """Write the lines, one for each operator; faults are numbers in the list of their names."""
    names = sorted({fault for line in lines.values() for fault in line.found.asked})
    places = {name: at for at, name in enumerate(names)}
    rows = [
        f"  {json.dumps(name)}: {json.dumps(_entry(lines[name], places))}" for name in sorted(lines)
    ]
    listed = ",\n".join(f"  {json.dumps(name)}" for name in names)
    measured = ",\n".join(rows)
    heading = f'{{\n "format": {_FORMAT},\n "faults": [\n{listed}\n ],\n'
    write_whole(path, f'{heading} "operators": {{\n{measured}\n }}\n}}\n')


def _entry(line: SizesLine, places: Mapping[str, int]) -> dict[str, Any]:
    found = line.found
    by_vector: dict[str, list[int]] = {}
    for fault, vector in found.noticed.items():
        by_vector.setdefault(vector, []).append(places[fault])
    return {
        "digest": line.digest,
        "vectors": found.vectors,
        "noticed": {vector: sorted(at) for vector, at in sorted(by_vector.items())},
        "survived": sorted(places[fault] for fault in found.survived),
        "idle": sorted(places[fault] for fault in found.idle),
    }


# --- the part of the page ------------------------------------------------------------------------


def sizes_part(lines: Mapping[str, SizesLine]) -> str:
    """The part of docs/strength.md: each fault with the operators that notice it."""
    if not lines:
        return ""
    arguments = read_arguments()
    faults = sorted({fault for line in lines.values() for fault in line.found.asked})
    rows: list[list[str]] = []
    reasons: dict[str, dict[str, None]] = {}
    for fault in faults:
        noticed = sum(fault in line.found.noticed for line in lines.values())
        missed = [name for name, _ in missing(lines, fault)]
        why = {
            name: argued(arguments, name, fault, idle=fault in lines[name].found.idle)
            for name in missed
        }
        open_names = [name for name in missed if not why[name]]
        for name in missed:
            if why[name]:
                reasons.setdefault(why[name], {})[name] = None
        rows.append(
            [
                fault,
                f"{noticed:,} of {noticed + len(missed):,}",
                str(len(missed) - len(open_names)) if len(missed) > len(open_names) else "",
                _named(open_names),
            ]
        )
    asked = sum(len(line.found.asked) for line in lines.values())
    noticed_all = sum(len(line.found.noticed) for line in lines.values())
    open_all = sum(bool(row[3]) for row in rows)
    heading = (
        "\n## Faults of size\n\n"
        f"{len(faults)} faults, each asked of the operators that it concerns, {asked:,} questions"
        f" of {len(lines)} operators with {sum(line.found.vectors for line in lines.values()):,}"
        f" vectors of the family `sizes`: **{noticed_all:,} noticed"
        f" ({100.0 * noticed_all / asked:.1f} %)**, the rest argued"
        + ("" if not open_all else " or open")
        + ". In an operator in which a fault is argued no vector can show it, or none is large"
        " enough and why is said.\n"
    )
    found = table(["fault", "noticed", "argued", "open"], rows)
    told = "".join(
        f"* {_named(list(names))}: {reason}.\n" for reason, names in sorted(reasons.items())
    )
    return f"{heading}\n{found}\n" + (f"\nArgued:\n\n{told}" if told else "")


def missing(lines: Mapping[str, SizesLine], fault: str | None = None) -> Iterator[tuple[str, str]]:
    """Operators, each with a fault that concerns it and is not noticed."""
    for name, line in sorted(lines.items()):
        for item in line.found.missed:
            if fault in (None, item):
                yield name, item


def without_argument(
    lines: Mapping[str, SizesLine], arguments: Sequence[Argument]
) -> list[tuple[str, str]]:
    """Operators, each with a fault that is neither noticed nor argued."""
    return [
        (name, fault)
        for name, fault in missing(lines)
        if not argued(arguments, name, fault, idle=fault in lines[name].found.idle)
    ]


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
