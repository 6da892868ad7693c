"""Mutants as backends of their own: child processes before the whole validator."""

from __future__ import annotations

import os
import shlex
import sys
from functools import partial
from pathlib import Path

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import UsageError
from onnx_conformance.generators.interpreter.harness import serve_here
from onnx_conformance.generators.interpreter.model import Model
from onnx_conformance.generators.oracle.registry import compute
from onnx_conformance.generators.signatures.reading import Signatures
from onnx_conformance.validator.host.engine import Engine
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.running.doubts import judged_rows
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.rows import RowJudge

from ..interfaces import Answer
from ..mutants.equivalents import key_of
from ..mutants.mutant import all_mutants
from .judged_vectors import Substituted

_FOLDER = Path(__file__).resolve().parent.parent
_TIMEOUT = 20.0


def command_of(name: str, mutant: str) -> str:
    """What follows `--backend command:` to run a mutant of an operator by hand."""
    words = [sys.executable, "-m", "strength", "serve", "--operator", name, mutant]
    return shlex.join(words)


def serve_mutant(domain: str, operator: str, name: str) -> None:
    """Be the harness of a mutant; UsageError where the operator has none of that name."""
    mutants = {item.name: item for item in all_mutants(domain, operator, compute)}
    alike = (item for item in mutants if key_of(item) == key_of(name))
    found = mutants.get(name if name in mutants else next(alike, ""))
    if found is None:
        raise UsageError(f"{operator} has no mutant '{name}'; `run --killed` names them")
    serve_here(name, partial(_substituted, target=(domain, operator), answer=found.make()))


def _substituted(
    model: Model, _signatures: Signatures, target: tuple[str, str], answer: Answer
) -> Substituted:
    return Substituted(model, target, answer)


def real_verdict(vectors: Path, name: str, mutant: str, identity: str) -> Verdict:
    """The whole validator's verdict on a vector, with a mutant as a child process."""
    corpus = open_corpus(vectors)
    plan = make_plan(corpus, (corpus.entries[identity],))
    paths = [str(_FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    path = f"PYTHONPATH={os.pathsep.join(paths)}"
    command = ("env", path, *shlex.split(command_of(name, mutant)))
    engine = Engine(
        command, Preparer(plan.entries), Settings(jobs=1, timeout=_TIMEOUT), tuple(plan.entries)
    )
    engine.start()
    rows = {row.id: Verdict(row.verdict) for row in judged_rows(engine, RowJudge(plan, {}))}
    return rows[identity]
