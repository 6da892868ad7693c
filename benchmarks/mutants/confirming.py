"""Runs a backend as a child process through the validator's engine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.validator.host.child import Launch
from onnx_conformance.validator.host.engine import Engine
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.running.doubts import judged_rows
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.rows import RowJudge

from .assessing import DEADLINE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onnx_conformance.core.corpus.corpus import Corpus

FOLDER = Path(__file__).resolve().parent.parent


def harness_of(name: str) -> Launch:
    """How to start a mutant, or a correct backend as `innocent:NAME`."""
    paths = [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    return Launch(
        (sys.executable, "-m", "mutants", "serve", name),
        environment={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def real_verdicts(name: str, corpus: Corpus, ids: Iterable[str]) -> dict[str, Verdict]:
    """The validator's verdict on some vectors, and on their controls.

    Raises BackendUnusableError where the harness does not start.
    """
    plan = make_plan(corpus, tuple(corpus.entries[item] for item in ids))
    settings = Settings(jobs=1, timeout=DEADLINE)
    engine = Engine(harness_of(name), Preparer(plan.entries), settings, tuple(plan.entries))
    engine.start()
    row_judge = RowJudge(plan, {})
    return {row.id: Verdict(row.verdict) for row in judged_rows(engine, row_judge)}
