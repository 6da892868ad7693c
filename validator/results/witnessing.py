"""From the results of runs to the ledger of witnesses: which engines agree with which vectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind, Phase
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import one_line
from onnx_conformance.core.witnesses.families import (
    LINKED,
    ONNXRUNTIME,
    ORACLE,
    family_of,
)
from onnx_conformance.core.witnesses.ledger import Engine, Ledger, key_of

from ..judging.verdicts import Verdict
from .records import Results, Row

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus


_LONGEST = 80
_REFUSAL = "rejected"
#: Verdicts that say nothing of whether an engine agrees.
_SILENT = frozenset({Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE})
#: How the checks of onnx's own library read in the words of onnxruntime, which has others for its.
_LINKED = re.compile(r"\[(Shape|Type)InferenceError\]|invalid model\. In Node, ")
#: Engines that give types and shapes, and no values, without saying so in their handshake.
_NO_VALUES = frozenset({"onnx.shape_inference"})


def engine_of(results: Results) -> Engine:
    """What was run; BadInputError for the oracles, from which the expected values come."""
    name, version = (
        one_line(str(results.header.describe.get(key, "")), _LONGEST) for key in ("name", "version")
    )
    if name == ORACLE:
        raise BadInputError(
            f"'{results.header.backend}' runs the oracles, from which the expected values come:"
            " it is no witness of them"
        )
    return Engine(name or results.header.backend, version)


def sees_values(results: Results) -> bool:
    """Whether an engine gives values, so that its passing a vector says that they are right."""
    describe = results.header.describe
    return describe.get("judges", "values") == "values" and describe.get("name") not in _NO_VALUES


def agrees(row: Row, *, values: bool) -> bool:
    """Whether a verdict says that its engine agrees with the vector.

    A refusal that a latitude vector permits says nothing of its other results, and whoever refuses
    everything would take it.

    Args:
        row: the verdict.
        values: whether the engine gives values.
    """
    if row.verdict != Verdict.PASS:
        return False
    if row.kind is Kind.INVALID:
        return True
    return values and (row.kind is Kind.VALID or row.taken not in {None, _REFUSAL})


def witness_of(engine: Engine, row: Row) -> Engine:
    """Whose agreement it is: onnxruntime links the library of onnx, and refuses with it at load.

    Its words tell so. A refusal at load without words counts as that of the library, too.
    """
    if (
        family_of(engine.name) != ONNXRUNTIME
        or row.kind is not Kind.INVALID
        or row.phase is Phase.RUN
    ):
        return engine
    words = row.got if isinstance(row.got, str) else ""
    return Engine(LINKED, engine.version) if not words or _LINKED.search(words) else engine


def ledger_of(columns: Sequence[Results], corpus: Corpus, earlier: Ledger | None = None) -> Ledger:
    """The ledger of some runs, with what an earlier one holds of other engines and vectors.

    What an earlier ledger has of another version of an engine that was run now is left out, and of
    the same version where a vector was run again, and could be: what an engine lacks on one machine
    it may have on another, such as a library that decodes images.

    Args:
        columns: the runs, of this corpus.
        corpus: its vectors.
        earlier: a ledger to be renewed; None begins one.

    Raises BadInputError if a run is of another corpus, or of the oracles.
    """
    found: dict[str, set[Engine]] = {}
    run: dict[Engine, set[str]] = {}
    for column in columns:
        if corpus.digest is None or column.header.corpus.get("digest") != corpus.digest:
            raise BadInputError(
                f"the results of '{one_line(column.header.backend)}' are of another corpus than"
                f" {corpus.root}; run it again, or name the right folder with --vectors"
            )
        engine, values = engine_of(column), sees_values(column)
        for row in column.rows:
            witness = witness_of(engine, row)
            again = run.setdefault(witness, set())
            if row.verdict not in _SILENT:
                again.add(row.id)
            agreeing = found.setdefault(row.id, set())
            if agrees(row, values=values):
                agreeing.add(witness)
    if earlier is not None:
        _keep(earlier, corpus, run, found)
    return Ledger(corpus.version, _used(run, found), _by_version(corpus, found))


def _keep(
    earlier: Ledger,
    corpus: Corpus,
    run: Mapping[Engine, set[str]],
    found: dict[str, set[Engine]],
) -> None:
    """Add what an earlier ledger holds and these runs do not say again."""
    newer = {engine.name for engine in run}
    kept = [item for item in earlier.engines if item in run or item.name not in newer]
    for entry in corpus.entries.values():
        known = earlier.of(entry.id, entry.digest)
        if known is not None:
            agreeing = found.setdefault(entry.id, set())
            agreeing.update(
                engine
                for engine in known.engines
                if engine in kept and entry.id not in run.get(engine, ())
            )


def _used(
    run: Mapping[Engine, set[str]], found: Mapping[str, Iterable[Engine]]
) -> tuple[Engine, ...]:
    """The engines in order, those among them that agree with nothing too."""
    return tuple(sorted({*run, *(engine for item in found.values() for engine in item)}))


def _by_version(
    corpus: Corpus, found: Mapping[str, set[Engine]]
) -> dict[str, dict[str, frozenset[Engine]]]:
    """By operator version and key; two vectors of one key count what both have."""
    agreeing: dict[str, dict[str, frozenset[Engine]]] = {}
    for entry in corpus.entries.values():
        if entry.id in found and entry.digest is not None:
            rows = agreeing.setdefault(entry.operator_version, {})
            key, engines = key_of(entry.digest), frozenset(found[entry.id])
            rows[key] = engines & rows[key] if key in rows else engines
    return agreeing
