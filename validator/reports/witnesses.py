"""Who agrees with the vectors: in a few lines, and as the page docs/witnesses.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.markdown import cell, escaped, table
from onnx_conformance.core.text import quantity
from onnx_conformance.core.witnesses.alone import Alone, Argument, CorpusWitnesses, argued
from onnx_conformance.core.witnesses.families import family_of

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.core.witnesses.ledger import Ledger

_MANY = 3
_COLUMNS = ("none", "one", "two", "three or more")
_INTRODUCTION = """\
A vector's expected result comes from an oracle of our own. Whoever computes the same result without
sharing code with it is a witness of the vector: a runtime that passes it, or, for a model that must
be refused, one that refuses it and takes its control. Engines that share code count once. What a
latitude vector permits has its reasons in the vector; a witness takes one of its results, and a
refusal is none.

This page is made by `onnx-validate witnesses` ([how](witnesses-ledger.md)). `onnx-validate show ID`
says of one vector who agrees."""


def counts(corpus: Corpus, found: CorpusWitnesses) -> dict[Kind, Counter[int]]:
    """By kind, how many vectors have so many witnesses; three stands for more."""
    counted: dict[Kind, Counter[int]] = {kind: Counter() for kind in Kind}
    for vector_id, agreement in found.agreements.items():
        counted[corpus.entries[vector_id].kind][min(agreement.witnesses, _MANY)] += 1
    return counted


def sentence(corpus: Corpus, found: CorpusWitnesses) -> str:
    """The whole in one sentence, as README has it."""
    counted = counts(corpus, found)
    of_both = counted[Kind.VALID] + counted[Kind.INVALID]
    return (
        f"of {of_both.total():,} valid and invalid vectors {of_both[2] + of_both[_MANY]:,} have two"
        f" independent witnesses or more, {of_both[1]:,} one, {of_both[0]:,} none"
    )


def summary(ledger: Ledger, corpus: Corpus, found: CorpusWitnesses) -> Iterator[str]:
    """A table of kinds by number of witnesses, and a line for each engine."""
    counted = counts(corpus, found)
    yield f"witnesses of {quantity(len(corpus.entries), 'vector')} of corpus {corpus.version}"
    yield f"{'':<10}" + "".join(f"{name:>15}" for name in _COLUMNS)
    for kind, numbers in counted.items():
        yield f"{kind:<10}" + "".join(f"{numbers[item]:>15,}" for item in range(_MANY + 1))
    for name, family, agreed, only in _engines(ledger, found):
        yield f"{name} ({family}) agrees with {agreed:,}, and alone with {only:,}"


def _engines(ledger: Ledger, found: CorpusWitnesses) -> Iterator[tuple[str, str, int, int]]:
    """Each engine with its family, how many it agrees with, and how many its family does alone."""
    agreed: Counter[object] = Counter()
    only: Counter[object] = Counter()
    for agreement in found.agreements.values():
        agreed.update(agreement.engines)
        if agreement.witnesses == 1:
            only.update(agreement.engines)
    for engine in ledger.engines:
        yield str(engine), family_of(engine.name), agreed[engine], only[engine]


def page(ledger: Ledger, corpus: Corpus, found: CorpusWitnesses, alone: Alone) -> str:
    """The page about all vectors, ending with a newline."""
    named = argued(alone, found.alone)
    without = [item for item in found.alone if item not in named]
    counted = counts(corpus, found)
    kinds = (
        [kind.value, *(f"{numbers[item]:,}" for item in range(_MANY + 1)), f"{numbers.total():,}"]
        for kind, numbers in counted.items()
    )
    engines = (
        [cell(name), cell(family), f"{agreed:,}", f"{only:,}"]
        for name, family, agreed, only in _engines(ledger, found)
    )
    sentence_of_both = sentence(corpus, found)
    read_again = (
        f"{len(found.alone):,} valid and invalid vectors. Of {len(named):,} it is said below what"
        " their page was read again to require, and why no engine does it."
    )
    nothing_said = (
        f" Of **{len(without):,}** nothing is said yet: only the oracle has them, which was"
        " compared with documents and other sources ([oracle.md](oracle.md)), but no engine that"
        " was run gives their result."
    )
    open_count = (
        f"{read_again}{nothing_said if without else ''} `onnx-vectors check` refuses"
        f" {'more of these' if without else 'one without such an argument'}."
    )
    parts = [
        "# Who agrees with the vectors",
        _INTRODUCTION,
        f"Corpus {corpus.version}: {sentence_of_both}.",
        table(["kind", *_COLUMNS, "total"], kinds, numbers=True),
        "## Engines",
        "Family: what shares code. Alone: vectors that no other family agrees with.",
        table(["engine", "family", "agrees with", "alone"], engines),
        "## Vectors that nobody agrees with",
        open_count,
    ]
    parts += _arguments(alone, named)
    if without:
        parts += ["## Not argued yet", table(["operator version", "cases"], _cases(without))]
    return "\n\n".join(parts) + "\n"


def _arguments(alone: Alone, named: Mapping[str, Argument]) -> Iterator[str]:
    """Each argument with its vectors, in the order of the file."""
    ids: defaultdict[Argument, list[str]] = defaultdict(list)
    for vector_id, argument in named.items():
        ids[argument].append(vector_id)
    for argument in alone.arguments:
        if argument in ids:
            own = ids[argument]
            versions = dict.fromkeys(item.partition("/")[0] for item in own)
            yield (
                f"* **{', '.join(map(escaped, versions))}**,"
                f" {quantity(len(own), 'vector')} ({', '.join(map(cell, argument.ids))}):"
                f" {escaped(argument.words)}"
            )


def _cases(ids: Sequence[str]) -> Iterator[list[str]]:
    """By operator version, the cases with the number of their vectors."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for vector_id in ids:
        version, case, _ = vector_id.split("/")
        found[version][case] += 1
    for version, cases in found.items():
        words = [
            f"{cell(name)} {number}" if number > 1 else cell(name) for name, number in cases.items()
        ]
        yield [cell(version), ", ".join(words)]
