"""What was measured last of the mutants that arrange: arrangements.json, which is committed.

A file of its own: it says nothing about the mutants of `records`, and those nothing about these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole

from ..names import name_of
from ..records.record import digest_of, judging, vectors_and_oracles
from ..trying.status import Status, percent_of
from .arguments import argued
from .measuring import Arranged

FILE = Path(__file__).with_name("arrangements.json")
#: What may have less than is demanded or be unmeasured: of the form of `records.allowances`.
ALLOWANCES = Path(__file__).with_name("allowances.yaml")
_FORMAT = 1
# The modules that decide what becomes of these mutants.
_DECIDING = tuple(
    f"arranging/{name}"
    for name in ("arrangements", "evidence", "formulas", "measuring", "moves", "ranges")
)


@dataclass(frozen=True)
class Line:
    """What was measured of one operator.

    Attributes:
        digest: of what it depends on.
        vectors: how many there were that can tell.
        killed, equivalent: how many mutants.
        survived: the mutants that survived and that no rule argues for, by name.
        argued: those that a rule argues for, by name.
    """

    digest: str
    vectors: int
    killed: int
    equivalent: int
    survived: tuple[str, ...] = ()
    argued: tuple[str, ...] = ()

    @property
    def percent(self) -> float:
        """Killed, of those that can be told apart."""
        return percent_of(self.killed, len(self.survived))


def line_of(found: Arranged, digest: str) -> Line:
    """What is kept of a measurement."""
    return _line(
        found.name,
        digest=digest,
        vectors=found.vectors,
        killed=len(found.named(Status.KILLED)),
        equivalent=len(found.named(Status.EQUIVALENT)),
        survived=found.named(Status.SURVIVED),
    )


def _line(name: str, *, survived: Iterable[str] = (), **rest: Any) -> Line:  # noqa: ANN401  JSON
    """A line of which the rules of today argue for some survivors.

    The record has all of these: a rule is no part of what is measured.
    """
    survivors = sorted(survived)  # as they are written
    known = argued(name, survivors)
    left = tuple(item for item in survivors if item not in known)
    return Line(**rest, survived=left, argued=tuple(known))


def read_record(path: Path = FILE) -> dict[str, Line]:
    """The lines by operator; none where there is no file. BadInputError for what is no record."""
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {name: _line(name, **entry) for name, entry in document["operators"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"{path}: no record of arrangements: {error}; delete it, and `make arrangements` writes"
            " another"
        ) from None


def write_record(lines: Mapping[str, Line], path: Path = FILE) -> None:
    """Write the lines, one for each operator, so that a change of one is one line's."""
    rows = []
    for name in sorted(lines):
        entry = asdict(lines[name])
        survived = sorted((*entry.pop("survived"), *entry.pop("argued")))
        if survived:
            entry["survived"] = survived
        rows.append(f"  {json.dumps(name)}: {json.dumps(entry)}")
    text = ",\n".join(rows)
    write_whole(path, f'{{\n "format": {_FORMAT},\n "operators": {{\n{text}\n }}\n}}\n')


def digests(manifest: Path) -> dict[str, str]:
    """For each operator of a manifest that has an oracle, the digest of what its line depends on.

    That is its vectors, the code of its oracle, and what measures and judges.
    """
    common = digest_of(*judging(_DECIDING))
    return {
        name_of(domain, operator): digest_of(common, *depends)
        for (domain, operator), depends in vectors_and_oracles(manifest)
    }
