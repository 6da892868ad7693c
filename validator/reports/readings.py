"""What runtimes make of what the documents leave open, in Markdown: for the authors of documents.

A vector of kind latitude lists the results that its document permits, each under the name of a
reading (or `rejected`, or `result` where the other possibility is to refuse the model). Here are
the readings that runtimes took, with the number of vectors, by operator; and the cases in which
runtimes differ, of which people who move a model from one to another should know.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.markdown import cell, table
from onnx_conformance.core.text import quantity

from ..results.records import Results, Row
from .facts.readings_taken import alone, mixed, witnesses_ledger
from .terminal import title

_NOTHING = "·"
_INTRODUCTION = (
    "The readings that were taken, and in how many vectors. `result` is what is required beside a"
    " refusal that is permitted."
)


def render(results: Sequence[Results]) -> str:
    """The page, ending with a newline; of results without latitude vectors it says so."""
    runs = "\n".join(f"- {cell(title(item))}" for item in results)
    parts = ["# Where documents leave it open", runs]
    by_operator = _taken(results, lambda row: row.operator)
    by_case = _taken(results, lambda row: f"{row.id.partition('/')[0]}/{row.case}")
    if not by_operator:
        return "\n\n".join([*parts, "No vector of kind latitude has a verdict here."]) + "\n"
    heading = [cell(item.header.backend) for item in results]
    parts += [
        _INTRODUCTION,
        table(["operator", *heading], _lines(by_operator)),
    ]
    if len(results) == 1:
        parts += _beside_witnesses(results[0])
    else:
        differing = {name: found for name, found in by_case.items() if _differ(found)}
        parts.append("## Where runtimes differ")
        if differing:
            parts += [
                f"{quantity(len(differing), 'case')} in which two of them took other readings.",
                table(["case", *heading], _lines(differing)),
            ]
        else:
            parts.append("Nowhere in these results.")
    return "\n\n".join(parts) + "\n"


def _beside_witnesses(results: Results) -> list[str]:
    """What one runtime takes alone, and what it mixes: the ledger of witnesses is beside it."""
    ledger = witnesses_ledger()
    own, several = alone(results, ledger), mixed(results)
    witnesses = [str(item) for item in ledger.witnesses]
    parts = [
        "## Taken by it alone",
        f"Beside {' and '.join(witnesses)} on corpus {ledger.corpus}, where one of them took any.",
    ]
    if own:
        rows = (
            [
                cell(item.case),
                _words(Counter(item.taken)),
                *(", ".join(map(cell, sorted(item.others.get(name, ())))) for name in witnesses),
            ]
            for item in own
        )
        heading = [cell(results.header.backend), *map(cell, witnesses)]
        parts.append(table(["case", *heading], rows))
    else:
        parts.append("Nothing.")
    parts += ["## Taken now and then", "Cases in which it takes several readings, by type or form."]
    if several:
        rows = ([cell(item.case), _words(Counter(item.taken))] for item in several)
        parts.append(table(["case", cell(results.header.backend)], rows))
    else:
        parts.append("None.")
    return parts


def _taken(
    results: Sequence[Results], key: Callable[[Row], str]
) -> Mapping[str, Sequence[Counter[str]]]:
    """By key, and for each backend, the readings and their number of vectors; in order of keys."""
    found: dict[str, list[Counter[str]]] = defaultdict(lambda: [Counter() for _ in results])
    for place, item in enumerate(results):
        for row in item.rows:
            if row.kind == Kind.LATITUDE and row.passed and row.taken:
                found[key(row)][place][row.taken] += 1
    return dict(sorted(found.items()))


def _differ(found: Sequence[Counter[str]]) -> bool:
    """Whether two backends that took any reading took other ones."""
    return len({frozenset(item) for item in found if item}) > 1


def _lines(found: Mapping[str, Sequence[Counter[str]]]) -> Iterator[Sequence[str]]:
    for name, counters in found.items():
        yield [cell(name), *(_words(item) for item in counters)]


def _words(counter: Counter[str]) -> str:
    """The readings, the most frequent first."""
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{cell(name)} {number:,}" for name, number in ordered) or _NOTHING
