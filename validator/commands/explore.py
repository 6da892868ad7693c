"""`onnx-validate explore`: put calls that no spec wrote down to a backend, and report causes."""

from __future__ import annotations

import contextlib
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.options import where_of
from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import (
    BackendUnusableError,
    ExitCode,
    IncompleteError,
    UsageError,
)
from onnx_conformance.core.exploring.explorer import Explorer, find_explorer
from onnx_conformance.core.exploring.ids import SEEDS
from onnx_conformance.core.files import require_own_files, write_whole
from onnx_conformance.core.systems import command_line
from onnx_conformance.core.text import quantity

from ..exploring.blaming import Blamer
from ..exploring.budget import Budget
from ..exploring.causes import Failure, Found, KnownFailures, causes_of_failures, to_simplify
from ..exploring.exploration import Exploration
from ..exploring.findings import (
    now,
    require_replaceable,
    results_text,
    scripts_of,
    write_findings,
)
from ..exploring.learning import Learning
from ..exploring.letters import letters_of, of_model
from ..exploring.running import Judging, Runner
from ..exploring.schedule import Schedule
from ..exploring.shrinking import Shrinker
from ..exploring.supplying.makers import Makers
from ..exploring.wording import Watch, report_lines
from ..gate.entries import read_baseline
from ..gate.expectations import expectations_of
from ..host.backends import Backend, find_backend, optimizer_of
from ..host.hiding import hide_vectors_argument
from ..judging.verdicts import Verdict
from ..reports.terminal import printable
from ..results.records import Row
from ..running.run import unusable
from ..running.signals import stopping_on_signals
from .run.report import print_note
from .shared.drawing import drawn_count, drawn_seed, span
from .shared.limits import add_limits, processors, settings_of
from .shared.options import (
    add_accuracy_argument,
    add_backend,
    add_cluster_arguments,
    add_python,
    positive,
)
from .shared.reading import rows_of

if TYPE_CHECKING:
    import argparse


# Seconds that making one failure simpler may take.
_MOST = 20.0
EPILOG = """\
Exploration is no gate: exit code 0 whatever it finds; 2 usage; 3 bad input; 4 the backend cannot be
used; 5 nothing could be drawn, or the backend passes nothing to begin with; 128 + N stopped by
signal N, with what was found until then. What it finds is run again by its id:
`onnx-validate run --backend X explore/conv-22/s7f3a.121`
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy", "yaml", "gmpy2"))
    add_backend(parser)
    add_python(parser)
    add_vectors_argument(parser)
    drawn = parser.add_argument_group("what is drawn")
    drawn.add_argument(
        "--operator",
        action="append",
        default=[],
        metavar="NAME",
        help="calls of this operator (may be given again; default: all)",
    )
    drawn.add_argument(
        "--graphs", action="store_true", help="graphs of several nodes, instead of single calls"
    )
    near = "calls that are near to those of this model: each of its uses with a few changes"
    drawn.add_argument("--model", type=Path, metavar="FILE", help=near)
    drawn.add_argument(
        "--seed",
        type=drawn_seed,
        metavar="HEX",
        help="up to eight hexadecimal digits, as in ids; the same seed gives the same calls"
        " (default: another one each time, which the report names)",
    )
    drawn.add_argument(
        "--budget", type=span, metavar="TIME", help="how long: 90s, 20m, 2h (default: 5m)"
    )
    drawn.add_argument(
        "--count", type=drawn_count, metavar="N", help="how many calls, in place of a time"
    )
    known = parser.add_argument_group("what is known")
    known.add_argument(
        "--baseline", type=Path, metavar="FILE", help="a baseline: failures that you know about"
    )
    known.add_argument(
        "--known",
        action="append",
        default=[],
        type=Path,
        metavar="RESULTS",
        help="results of this backend on the corpus: what passes, and which failures are known",
    )
    files = parser.add_argument_group("what is written")
    files.add_argument(
        "--results", type=Path, metavar="FILE", help="a row for each cause, as of a run"
    )
    files.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="a folder for each cause with its vector and a script that needs nothing else",
    )
    parser.add_argument(
        "--makers",
        type=positive,
        default=processors(),
        metavar="N",
        help="processes that draw and ask the oracle (default: the processors, %(default)s here)",
    )
    add_accuracy_argument(parser)
    add_limits(parser)
    add_cluster_arguments(parser, "judge the calls")


def execute(arguments: argparse.Namespace) -> int:
    """Explore, report and return the exit code."""
    hide_vectors_argument()
    if arguments.budget is not None and arguments.count is not None:
        raise UsageError("--budget and --count are two ways to say when to stop; give one")
    if arguments.graphs and arguments.operator:
        raise UsageError("--graphs draws from all operators that graphs know; leave out --operator")
    if arguments.model is not None and arguments.graphs:
        raise UsageError("--model and --graphs are two things to draw from; give one")
    own = ("results", "baseline", "model")
    require_own_files([(f"--{name}", getattr(arguments, name)) for name in own])
    if arguments.output is not None:
        require_replaceable(arguments.output)
    backend = find_backend(arguments.backend, arguments.python)
    corpus = open_vectors(arguments.vectors)
    explorer = find_explorer()
    subjects, letters = _drawn_of(explorer, arguments)
    seed = secrets.randbelow(SEEDS) if arguments.seed is None else arguments.seed
    known_rows = rows_of(arguments.known, backend.name, corpus, print_note)
    runner = _runner(arguments, backend)
    makers = Makers(arguments.makers, arguments.model)
    with contextlib.closing(runner), contextlib.closing(makers):
        explored = _Explored(arguments, corpus, runner, makers, known_rows, seed)
        return explored.run(subjects, letters)


def _runner(arguments: argparse.Namespace, backend: Backend) -> Judging:
    """Who judges the calls: children of this machine, or the workers of a cluster."""
    settings = settings_of(arguments)
    where = where_of(arguments, print_note)
    if where is None:
        return Runner(backend, settings, arguments.accuracy)
    # What a cluster needs takes a fifth of a second to load.
    from ..exploring.cluster.runner import ClusterRunner, spec_of

    given = (arguments.backend, arguments.python)
    spec = spec_of(backend, given, settings, arguments.accuracy)
    return ClusterRunner(backend, spec, where)


def _drawn_of(
    explorer: Explorer, arguments: argparse.Namespace
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """The operators to draw from with their versions, and the drawers of each by their letters."""
    if arguments.model is not None:
        return of_model(explorer, arguments.model, arguments.operator)
    return letters_of(explorer, arguments.operator, graphs=arguments.graphs, note=print_note)


class _Explored:
    """One exploration, from the first child to the report."""

    def __init__(  # noqa: PLR0913, PLR0917  what a run is made of
        self,
        arguments: argparse.Namespace,
        corpus: Corpus,
        runner: Judging,
        makers: Makers,
        known_rows: Mapping[str, Row],
        seed: int,
    ) -> None:
        self._arguments = arguments
        self._corpus = corpus
        self._runner = runner
        self._makers = makers
        self._learning = Learning(known_rows)
        self._seed = seed
        # Workers of a cluster may have another version of the runtime, or none of its passes.
        asks = arguments.cluster is None
        self._optimizer = optimizer_of(runner.backend.name) if asks else None
        self._facts: dict[str, Any] = {}
        # How many failures there were, and how many of them are worth being made simpler.
        self._wanted = 0, 0

    def run(self, subjects: Mapping[str, Sequence[str]], letters: Mapping[str, str]) -> int:
        """Explore, report and return the exit code."""
        runner = self._runner
        listed, listed_ids = self._listed()
        self._learning.listed = listed_ids
        with stopping_on_signals(runner.stop) as signals:
            try:
                self._description = self._runner.start()
            except BackendUnusableError as error:
                raise unusable(self._runner.backend, str(error)) from None
            self._facts = {
                "backend": self._arguments.backend,
                "command": command_line(["onnx-validate", *sys.argv[1:]]),
                "started": now(),
                "seed": f"{self._seed:x}",
                "accuracy": self._arguments.accuracy,
                "tolerance": "onnx",
                **runner.facts(),
            }
            given = self._arguments
            seconds = given.budget or (None if given.count else 300.0)
            self._budget = Budget(seconds, self._optimizer is not None)
            schedule = Schedule(subjects, letters, self._seed)
            exploration = Exploration(
                schedule, self._makers, self._runner, self._learning, count=given.count
            )
            watch = Watch(exploration, seconds, given.count)
            exploration.run(self._is_over, watch)
            drew = self._budget.spent
            known = KnownFailures(self._learning.rows.values(), listed)
            simplest = {} if signals else self._simplified(exploration, known)
            found = causes_of_failures(exploration.failures, simplest, known)
            found = found if signals else self._blamed(found)
            watch.clear()
        if runner.unusable:
            print_note(f"note: {unusable(self._runner.backend, runner.unusable)}")
        self._report(exploration, found, drew)
        if signals:
            return 128 + signals[0]
        if runner.unusable and not found:
            return ExitCode.BACKEND_UNUSABLE
        return self._verdict_on_itself(exploration)

    def _verdict_on_itself(self, exploration: Exploration) -> int:
        """Whether anything was put to the backend: silence would look like success."""
        tallies = exploration.tallies.values()
        if any(tally.verdicts[Verdict.PASS] for tally in tallies):
            return ExitCode.OK
        if self._learning.passing == 0:
            raise IncompleteError(
                "the backend passes none of the vectors that calls are made from, and none of the"
                " calls: there was nothing to begin with; `onnx-validate run` says what it makes of"
                " the vectors"
            )
        if any(tally.ran for tally in tallies):
            return ExitCode.OK
        raise IncompleteError("no call could be put to the backend; see the figures above")

    def _is_over(self, exploration: Exploration) -> bool:
        """Whether the rest of the budget is wanted for making failures simpler."""
        if not self._budget.may_end_drawing:
            return False
        # Signatures of all failures are compared for it: not again while there is no other failure.
        if self._wanted[0] != len(exploration.failures):
            known = KnownFailures(self._learning.rows.values(), {})
            simplify = to_simplify(exploration.failures, known)
            self._wanted = len(exploration.failures), len(simplify)
        return self._budget.ends_drawing(self._wanted[1])

    def _listed(self) -> tuple[dict[tuple[str, str], str], frozenset[str] | None]:
        """What a baseline lists: an id by operator and verdict; and all ids that it lists."""
        if self._arguments.baseline is None:
            return {}, None
        baseline = read_baseline(self._arguments.baseline)
        listed = expectations_of(baseline, self._corpus.entries, self._corpus.withdrawn).of
        by_verdict: dict[tuple[str, str], str] = {}
        for vector_id, entry in listed.items():
            operator = vector_id.split("/", 1)[0].rpartition("-")[0].rpartition(".")[2]
            for verdict in entry.verdicts:
                by_verdict.setdefault((operator, verdict), vector_id)
        return by_verdict, frozenset(listed)

    def _simplified(self, exploration: Exploration, known: KnownFailures) -> dict[str, Failure]:
        """For failures as they were drawn, the simplest calls that show the same."""
        shrinker = Shrinker(self._makers, self._runner)
        chosen = to_simplify(exploration.failures, known)
        simplest: dict[str, Failure] = {}
        for place, failure in enumerate(chosen):
            if self._runner.stopped or self._runner.unusable:
                break
            if self._budget.ends_simplifying:
                print_note(
                    f"note: {quantity(len(chosen) - place, 'failure')} were not made simpler: the"
                    " budget is over"
                )
                break
            simplest[failure.row.id] = shrinker.simplest(failure, _MOST)
        return simplest

    def _blamed(self, found: list[Found]) -> list[Found]:
        """Causes with the part of the optimizer that is to blame for what the corpus lacks."""
        given = self._arguments
        if self._optimizer is None:
            return found
        end = self._budget.blaming_until()
        return Blamer(
            self._runner.backend,
            self._optimizer,
            settings_of(given),
            given.accuracy,
            lambda: self._runner.stopped or time.monotonic() > end,
        ).blamed(found)

    def _report(self, exploration: Exploration, found: Sequence[Found], seconds: float) -> None:
        lines = list(report_lines(found, exploration, seconds, self._seed))
        for line in lines:
            print(printable(line, sys.stdout))
        if self._arguments.results is not None:
            text = results_text(
                found,
                exploration,
                self._corpus,
                self._runner.backend.name,
                self._description,
                self._facts,
            )
            write_whole(self._arguments.results, text)
            print(f"wrote {self._arguments.results}")
        if self._arguments.output is not None:
            accuracy = self._arguments.accuracy
            scripts = scripts_of(found, self._corpus, self._arguments.backend, accuracy)
            write_findings(found, lines, scripts, self._arguments.output)
            print(f"wrote {self._arguments.output}: a folder for each cause")
