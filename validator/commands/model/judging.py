"""Cuts a model, runs a backend on the vectors and on the model as a whole, and judges both."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BackendUnusableError, BadInputError
from onnx_conformance.core.models.cutting import CutReport, Cutter, find_cutter
from onnx_conformance.core.models.listing import ModelUses
from onnx_conformance.core.progress import Progress
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.tensors import Value

from ...gate.expectations import NO_EXPECTATIONS
from ...host.backends import Backend, find_backend, unoptimized
from ...host.worker import Settings
from ...judging.tolerance_rules import ONNX_MODE
from ...models.apart import Apart, apart, first_apart, sought
from ...models.chain import Chain, chain_of, not_judged
from ...models.observing import Observed, observe, run_alone, values_at
from ...results.records import Results
from ...running.planning import make_plan
from ...running.recording import recording
from ...running.run import Run, unusable

if TYPE_CHECKING:
    import argparse


# A model as a whole takes longer than a vector, and its values are many.
_WHOLE = Settings(jobs=1, timeout=120.0, max_output=1024)


@dataclass(frozen=True)
class Judged:
    """What became of it: the results are None where no use has a vector."""

    report: CutReport
    results: Results | None
    chain: Chain | None


def judged(model: ModelUses, asked: argparse.Namespace) -> Judged:
    """Cut, run and judge, as the arguments of the command ask.

    Raises BackendUnusableError if the backend cannot be used.
    """
    cutter = find_cutter()
    backend = find_backend(asked.backend, asked.python)
    with ExitStack() as stack:
        folder = asked.keep
        if folder is None:
            temporary = tempfile.TemporaryDirectory(prefix="onnx-validate-")
            folder = Path(stack.enter_context(temporary)) / "cut"
        _say(f"cutting vectors from {model.opened.path.name}, a second or so for each use")
        report = cutter.cut(model, folder, dict(asked.dim), asked.inputs)
        results = _run(backend, folder) if report.vectors else None
        chain = None if asked.uses_alone else _whole(cutter, backend, model, asked)
    return Judged(report, results, chain)


def _say(text: str) -> None:
    print(f"onnx-validate: {text}", file=sys.stderr)


def _run(backend: Backend, folder: Path) -> Results:
    """The results of a backend on the vectors of a folder."""
    corpus = open_corpus(folder)
    plan = make_plan(corpus, tuple(corpus.entries.values()))
    run = Run(
        backend=backend,
        corpus=corpus,
        plan=plan,
        settings=Settings(),
        tolerance=ONNX_MODE,
        expectations=NO_EXPECTATIONS,
    )
    progress = Progress(sys.stderr, len(plan.entries), 0)
    with recording(None, resume=False) as record:
        try:
            ended = run.run(
                record,
                lambda row: progress.add(passed=row.passed, operator=row.operator),
                progress.note,
            )
        except BackendUnusableError as error:
            raise unusable(backend, str(error)) from None
        finally:
            progress.clear()
        record.close()
        if ended.unusable or ended.none_answered:
            raise unusable(backend, ended.unusable or "it answers no vector")
        if ended.signal is not None:
            raise KeyboardInterrupt
        return record.results


def _whole(cutter: Cutter, backend: Backend, model: ModelUses, asked: argparse.Namespace) -> Chain:
    """The model as a whole on the backend; a reason where it cannot be run."""
    _say("running the model as a whole, and judging its nodes one after the other")
    try:
        fed = cutter.inputs(model, dict(asked.dim), asked.inputs)
        observed = observe(backend, _WHOLE, model, fed)
    except BadInputError as error:
        count = len(model.opened.proto.graph.node)
        return not_judged(backend.name, count, f"was not given the model: {error}")
    alone = partial(run_alone, backend, Settings(jobs=1))
    chain = chain_of(backend.name, model, observed, fed, cutter, alone)
    return replace(chain, comparisons=_comparisons(cutter, backend, model, asked, (fed, observed)))


def _comparisons(
    cutter: Cutter,
    backend: Backend,
    model: ModelUses,
    asked: argparse.Namespace,
    run: tuple[Mapping[str, Value], Observed],
) -> tuple[Apart, ...]:
    """The outputs of a backend beside those of other runs of the model."""
    fed, observed = run
    if observed.outputs is None:
        return ()
    found = []
    if observed.everything is not None:
        words = "for the same model with all its values among its outputs, which it fuses less"
        found.append(apart(backend.name, words, observed.outputs, observed.everything))
        oracles = cutter.interpreted(model, fed, observed.everything)
        words = "the oracles, which run the whole model node by node"
        if oracles.outputs is None:
            found.append(Apart(backend.name, words, None, why=oracles.why))
        else:
            found.append(apart(backend.name, words, observed.outputs, oracles.outputs))
    twin = unoptimized(asked.backend)
    if asked.against is not None:
        other = find_backend(asked.against, asked.against_python)
        found.append(_against(other, backend, model, run))
    elif twin:
        found.append(_against(find_backend(twin, asked.python), backend, model, run))
    return tuple(found)


def _against(
    other: Backend, backend: Backend, model: ModelUses, run: tuple[Mapping[str, Value], Observed]
) -> Apart:
    """The outputs of a backend beside those of another, and the first node that differs."""
    fed, observed = run
    _say(f"running it on {other.name}, and comparing")
    theirs = observe(other, _WHOLE, model, fed)
    found = apart(backend.name, other.name, observed.outputs, theirs.outputs)
    if not found.where or theirs.everything is None:
        return found
    nodes = model.opened.proto.graph.node
    first = first_apart(nodes, observed.everything or {}, theirs.everything)
    if not first:
        asking = partial(values_at, backend, _WHOLE, model, fed)
        first = sought(nodes, asking, theirs.everything)
    return replace(found, node=one_line(first, 120))
