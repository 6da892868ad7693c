"""Runs the scripts of `misbehaving/` as backends, in this process, without reports around."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runnable_corpus import runnable_corpus

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.host.engine import Engine
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.running.doubts import judged_rows
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.rows import RowJudge

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from onnx_conformance.validator.results.records import Row

FOLDER = Path(__file__).parent / "misbehaving"
CASES = ("one", "two", "bad", "three", "four")


def harness(name: str) -> tuple[str, ...]:
    """The command line of a misbehaving harness; -S, because hundreds are started."""
    script = FOLDER / f"{name}.sh"
    if script.is_file():
        return ("sh", str(script))
    return (sys.executable, "-S", str(FOLDER / f"{name}.py"))


def vector_id(case: str) -> str:
    """The id of a case of the small corpus."""
    return f"shape-15/{case}/float32"


@dataclass(frozen=True)
class Ran:
    """A run: its rows by case, and the engine that made them."""

    rows: Mapping[str, Row]
    engine: Engine

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each case."""
        return {case: row.verdict for case, row in self.rows.items()}


def run_corpus(
    root: Path,
    name: str,
    settings: Settings,
    expected_losses: Collection[str] = (),
) -> Ran:
    """Run a corpus with a misbehaving harness."""
    corpus = open_corpus(root)
    plan = make_plan(corpus, tuple(corpus.entries.values()))
    engine = Engine(
        harness(name),
        Preparer(plan.entries),
        settings,
        plan.entries,
        expected_losses,
    )
    engine.start()
    rows = {row.id.split("/")[1]: row for row in judged_rows(engine, RowJudge(plan, {}))}
    return Ran(rows, engine)


def run_cases(
    folder: Path, name: str, cases: Sequence[str] = CASES, timeout: float = 5, jobs: int = 1
) -> Ran:
    """Write a corpus of some cases and run it with a misbehaving harness."""
    root = runnable_corpus(folder / "vectors", cases)
    return run_corpus(root, name, Settings(jobs=jobs, timeout=timeout, max_output=1))
