"""What a runtime makes of what documents leave open, beside what others make of it.

A wrong result that one reading permits is no failure, and shows nowhere among failures. It shows
here: as a reading that no other runtime takes, or as one that a runtime takes now and then.

The ledger holds the readings of witnesses, runtimes that we ran ourselves, case by case. It is
made by `onnx-validate report RESULTS… --ledger FILE`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.documents import INTEGER, OBJECT, TEXT, TEXTS, check, parsed
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import one_line
from onnx_conformance.core.witnesses.ledger import Engine

from ...results.merging import natural_order
from ...results.records import Results

LEDGER = Path(__file__).parents[2] / "readings.json"
FORMAT = 1
REFUSAL = "rejected"
_LONGEST = 80


@dataclass(frozen=True)
class Ledger:
    """What witnesses took, case by case.

    Attributes:
        corpus: version of the corpus.
        witnesses: the runtimes.
        cases: by case, e.g. `relu-14/with_nan`, the readings of each witness; empty for none.
    """

    corpus: str
    witnesses: tuple[Engine, ...]
    cases: Mapping[str, tuple[frozenset[str], ...]]


@dataclass(frozen=True)
class Peculiar:
    """Readings of one runtime in one case that a person should look at.

    Attributes:
        case: operator version and case.
        taken: the readings of the runtime, with their number of vectors.
        others: the readings of the witnesses, by witness.
    """

    case: str
    taken: Mapping[str, int]
    others: Mapping[str, frozenset[str]]


def taken_by_case(results: Results) -> dict[str, Counter[str]]:
    """By case, the readings that a runtime took, and in how many vectors."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in results.rows:
        if row.kind == Kind.LATITUDE and row.passed and row.taken:
            found["/".join(row.id.split("/")[:2])][row.taken] += 1
    return {case: found[case] for case in sorted(found, key=natural_order)}


def mixed(results: Results) -> list[Peculiar]:
    """The cases in which a runtime took several readings, by element type or form."""
    return [
        Peculiar(case, taken, {})
        for case, taken in taken_by_case(results).items()
        if len(taken) > 1
    ]


def alone(results: Results, ledger: Ledger) -> list[Peculiar]:
    """The readings that a runtime takes and no other witness does, where one took any.

    A refusal is none of them: whoever is refused knows it. A witness is not compared with itself.
    """
    name = str(results.header.describe.get("name", ""))
    others = [place for place, item in enumerate(ledger.witnesses) if item.name != name]
    found = []
    for case, taken in taken_by_case(results).items():
        readings = ledger.cases.get(case)
        if readings is None or not any(readings[place] for place in others):
            continue
        known = frozenset[str]().union(*(readings[place] for place in others))
        own = {reading: count for reading, count in taken.items() if reading not in known}
        own.pop(REFUSAL, None)
        if own:
            by_witness = {str(ledger.witnesses[place]): readings[place] for place in others}
            found.append(Peculiar(case, own, by_witness))
    return found


# --- the ledger ------------------------------------------------------------------------------


def ledger_of(results: Sequence[Results]) -> Ledger:
    """The ledger of some runs, each of a witness."""
    told = ("name", "version")
    witnesses = tuple(
        Engine(*(one_line(str(item.header.describe.get(key, "")), _LONGEST) for key in told))
        for item in results
    )
    taken = [taken_by_case(item) for item in results]
    names = dict.fromkeys(case for item in taken for case in item)
    cases = {
        case: tuple(frozenset(item.get(case, ())) for item in taken)
        for case in sorted(names, key=natural_order)
    }
    corpus = str(results[0].header.corpus.get("version", "")) if results else ""
    return Ledger(corpus, witnesses, cases)


def ledger_document(ledger: Ledger) -> dict[str, Any]:
    """The ledger as JSON values."""
    return {
        "format": FORMAT,
        "corpus": ledger.corpus,
        "witnesses": [{"name": item.name, "version": item.version} for item in ledger.witnesses],
        "cases": {
            case: [sorted(item) for item in readings] for case, readings in ledger.cases.items()
        },
    }


@cache
def witnesses_ledger() -> Ledger:
    """The ledger that comes along."""
    return read_ledger(LEDGER)


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file; BadInputError if it holds none."""
    try:
        document = parsed(path.read_bytes())
        check(document, {"format": INTEGER, "corpus": TEXT, "cases": OBJECT})
        witnesses = tuple(Engine(item["name"], item["version"]) for item in document["witnesses"])
        cases = {}
        for case, readings in document["cases"].items():
            for item in _as_many(readings, len(witnesses)):
                check({case: item}, {case: TEXTS})
            cases[case] = tuple(map(frozenset, readings))
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is no ledger of readings: {error!r}") from None
    return Ledger(document["corpus"], witnesses, cases)


def _as_many(readings: Any, count: int) -> Iterable[Any]:  # noqa: ANN401  from a file
    if not isinstance(readings, list) or len(readings) != count:
        raise ValueError(f"{readings!r} has not the readings of {count} witnesses")
    return readings
