"""How accurate the runtimes are that were run, operator by operator: docs/accuracy.md.

    python -m tools.accuracy.page [--vectors DIR] [RESULTS ...]

It runs nothing: the page is made of what `make validate`, `make scoreboard` and the results files
and folders that are named have of this corpus. Results of an earlier corpus count for the vectors
that are still the same, so that the page follows a change of few operators without a run.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Corpus, open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.markdown import code, table
from onnx_conformance.core.values.limits import EXACT_RESULT, IEEE
from onnx_conformance.core.values.nearness import MET
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS
from onnx_conformance.validator.reports.facts.profiles_met import (
    Accuracy,
    accuracy_by_operator,
    share_text,
    table_lines,
)
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.merging import Source, accuracy_of, merge
from onnx_conformance.validator.results.records import DIGITS, CorpusFacts, Results

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "accuracy.md"
CORPUS = ROOT / "build" / "vectors"
# What is above the tables.
INTRODUCTION = Path(__file__).with_suffix(".txt")
# Where `make validate` and `make scoreboard` keep results.
FOLDERS = (ROOT / "build", ROOT / "build" / "scoreboard")
# No value is compared, or it is onnxruntime's kernels once more.
_SAME_KERNELS = (
    *("checker", "onnxruntime-noopt", "onnxruntime-node", "onnxsim", "onnxslim"),
    *("onnxoptimizer", "onnxscript", "version-converter"),
)
# With the standard itself and what we made of it.
LEFT_OUT = (*_SAME_KERNELS, "oracle", "bodies", "inference")
# What takes hardly any model as it is, and how it is on the page.
ADAPTED = {"tract": "tract+freeze+static+int64"}
# The last part of an id in float32: the types, of which one is that, and a form.
_FLOAT32 = re.compile(r"([^.]*-)?float32(-[^.]*)?(\..*)?")
_HAS_LIMITS = re.compile(rb'"accuracy": *\{')
_NOT_TOLD = "·"


def main() -> int:
    """Write the page; 1 where there is nothing that it could be made of."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", nargs="*", type=Path, help="results files, or folders of them")
    parser.add_argument("--vectors", type=Path, default=CORPUS, metavar="DIR")
    arguments = parser.parse_args()
    corpus = open_corpus(arguments.vectors.resolve())
    every = with_limits(corpus)
    found = measured(corpus, every, arguments.results)
    if not found:
        print("no runtime was run; `make scoreboard` runs them", file=sys.stderr)
        return 1
    write_whole(PAGE, render(found, every))
    print(PAGE.relative_to(ROOT))
    return 0


# --- results ------------------------------------------------------------------------------------


def with_limits(corpus: Corpus) -> list[str]:
    """Ids of the vectors whose outputs have limits."""
    return [
        entry.id
        for entry in corpus.entries.values()
        if _HAS_LIMITS.search((entry.directory / "data.json").read_bytes())
    ]


def files(paths: Iterable[Path]) -> list[Path]:
    """The results files among the paths; a folder stands for those in it."""
    found: list[Path] = []
    for path in paths:
        found += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return found


def complete(paths: Iterable[Path], corpus: Corpus) -> list[Results]:
    """What counts of these results files; of one that does not count at all, it is said."""
    found = []
    for path in paths:
        results = of_today(path, corpus)
        if results is None:
            print(f"{path}: not of this corpus, or not complete", file=sys.stderr)
        else:
            found.append(results)
    return found


def measured(corpus: Corpus, every: Iterable[str], given: Iterable[Path] = ()) -> list[Results]:
    """Of each runtime the results that say most of this corpus.

    Args:
        corpus: the vectors as they are now.
        every: ids of all vectors with limits.
        given: results files, or folders of them, beside those in FOLDERS.
    """
    order = {backend.name: number for number, backend in enumerate(KNOWN_BACKENDS)}
    there = filter(None, (of_today(path, corpus) for path in files(FOLDERS)))
    limited = set(every)
    most: dict[str, tuple[int, Results]] = {}
    for results in [*complete(files(given), corpus), *there]:
        label = results.header.backend
        name = label.partition("+")[0]
        if label != ADAPTED.get(name, name) or name in LEFT_OUT:
            continue
        count = len(limited & set(results.header.planned))
        if count > most.get(name, (0, None))[0]:
            most[name] = (count, results)
    names = sorted(most, key=lambda name: order.get(name, len(order)))
    return merge([Source(name, most[name][1]) for name in names])


def of_today(path: Path, corpus: Corpus) -> Results | None:
    """What a results file says of the vectors of this corpus; None where that is nothing.

    A run of an earlier corpus counts for the vectors that have the digest that they had. A run must
    have ended: what the slowest vectors of an operator would have shown is not known of one that
    was stopped.
    """
    try:
        results = read_results(path)
    except BadInputError:
        return None
    if results.missing or accuracy_of(results.header) != IEEE:
        return None
    if results.header.corpus.get("digest") == corpus.digest:
        return results
    digests = {item: entry.digest or "" for item, entry in corpus.entries.items()}
    rows = tuple(
        row
        for row in results.rows
        if row.digest is not None and row.digest == digests.get(row.id, "")[:DIGITS]
    )
    facts: CorpusFacts = {**results.header.corpus, "digest": corpus.digest}
    facts["version"] = corpus.version
    header = replace(results.header, corpus=facts, planned=tuple(row.id for row in rows))
    return replace(results, header=header, rows=rows) if rows else None


# --- the page -----------------------------------------------------------------------------------

_BRIEFLY = """\
So many operators meet each profile. *Measured* are the vectors with outputs to compare with limits,
and how many of them meet `ieee`. *Run* is of all vectors with limits: each of them, or those that a
run had (of a part, or of an earlier corpus, where vectors have changed since)."""


def render(found: Sequence[Results], every: Iterable[str] = ()) -> str:
    """The page as Markdown, ending with a newline.

    Args:
        found: the results of each runtime.
        every: ids of all vectors with limits, of which it is said how many were run.
    """
    facts = found[0].header.corpus
    corpus = f"{code(str(facts.get('version')))} (manifest {code(str(facts.get('digest'))[:12])}…)"
    parts = [
        INTRODUCTION.read_text("utf-8").format(corpus=corpus).rstrip(),
        "## Who was measured",
        _summary(found, set(every)),
        _BRIEFLY,
        "## By operator, in float32",
        "The type that every runtime has, at all versions of the operator and in all forms.",
        _by_operator([in_float32(item) for item in found]),
        "## By operator, in every type",
        _by_operator(found),
        "## Where ieee is not met",
        "The vector that is furthest outside, or one without a distance.",
        _outside(found),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(found: Sequence[Results], every: AbstractSet[str]) -> str:
    """How many operators meet which profile, by runtime."""
    lines = []
    for item in found:
        header = item.header
        operators = accuracy_by_operator(item).values()
        met = Counter(each.met for each in operators)
        count = sum(each.vectors - each.unmeasured for each in operators)
        vectors = _share_of(sum(each.careful for each in operators), count)
        counts = [str(met[name] or _NOT_TOLD) for name in (*MET, None)]
        version = " ".join(str(header.describe.get(key, "")) for key in ("name", "version"))
        day = header.started.split("T", 1)[0]
        ran = _how_many(every, header.planned)
        lines.append((code(header.backend), *counts, vectors, ran, f"{code(version)}, {day}"))
    heads = ("runtime", *MET, "none measured", "measured, in ieee", "run", "version, run on")
    return table(heads, lines)


def _share_of(careful: int, count: int) -> str:
    """So many vectors, and the part of them that meets ieee: `1,000, 98.7 %`."""
    if not count:
        return _NOT_TOLD
    # Cut off, not rounded: 100 % is all.
    return f"{count:,}, {careful * 1000 // count / 10:.1f} %"


def _how_many(every: AbstractSet[str], planned: Iterable[str]) -> str:
    """How many of the vectors with limits were run: `all 10,349` or `3,180 of 10,349`."""
    count = len(every & set(planned)) if every else 0
    if count == len(every):
        return f"all {count:,}" if every else _NOT_TOLD
    return f"{count:,} of {len(every):,}"


def in_float32(results: Results) -> Results:
    """The rows of vectors in float32, with whatever types beside it."""
    rows = tuple(row for row in results.rows if _FLOAT32.fullmatch(row.id.split("/")[-1]))
    return replace(results, rows=rows)


def _by_operator(found: Sequence[Results]) -> str:
    lines = [(name, *map(cell, cells)) for name, cells in table_lines(found)]
    return table(("operator", *(code(item.header.backend) for item in found)), lines)


def cell(accuracy: Accuracy | None) -> str:
    """What one runtime does on one operator, in as few words as can be."""
    if accuracy is None or accuracy.met is None:
        return _NOT_TOLD
    count = accuracy.vectors - accuracy.unmeasured
    told = f"{accuracy.met} {_used(accuracy)}".rstrip()
    of_all = f" ({count}/{accuracy.vectors})" if accuracy.unmeasured else ""
    if MET.index(accuracy.met) <= MET.index(IEEE):
        return told + of_all
    return f"{told}, ieee in {accuracy.careful}{of_all or f' of {count}'}"


def _used(accuracy: Accuracy) -> str:
    """The used fraction of the bound, where it is what decides the profile."""
    is_outside = accuracy.met is not None and MET.index(accuracy.met) > MET.index(IEEE)
    if not accuracy.used or accuracy.met == EXACT_RESULT or (is_outside and accuracy.used <= 1):
        return ""
    return share_text(accuracy.used)


def _outside(found: Sequence[Results]) -> str:
    """A vector for each operator and runtime that does not meet the profile of careful software."""
    lines = [
        (
            operator,
            code(item.header.backend),
            each.met,
            _used(each) or _NOT_TOLD,
            code(each.worst or ""),
        )
        for item in found
        for operator, each in accuracy_by_operator(item).items()
        if each.met is not None and MET.index(each.met) > MET.index(IEEE)
    ]
    return table(("operator", "runtime", "met", "used", "vector"), sorted(lines))


if __name__ == "__main__":
    sys.exit(main())
