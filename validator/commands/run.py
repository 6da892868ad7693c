"""`onnx-validate run`: run a backend on vectors and judge what it does."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends import resolve as resolve_backend
from ..baseline import NO_EXPECTATIONS, gate, in_words, marks_of, read_baseline
from ..baseline import resolve as resolve_baseline
from ..child import Launch
from ..corpus import open_corpus, requirements
from ..engine import Engine
from ..errors import BackendUnusableError, ExitCode, IncompleteError
from ..planning import make_plan
from ..preparing import Preparer
from ..progress import Progress
from ..recording import check_same_run, recording
from ..rerunning import is_red, run_again
from ..results import Header, read_results
from ..running import Court, judged_rows, stopping_on_signals
from ..selecting import add_arguments, from_arguments, select
from ..tolerance import MODES, ONNX_MODE
from ..vectors_folder import add_vectors_argument, vectors_folder
from ..verdicts import Verdict
from ..worker import Settings
from ..writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..backends import Backend
    from ..baseline import Expectations, GateOutcome
    from ..corpus import Corpus
    from ..planning import Plan
    from ..protocol import Description
    from ..recording import Recording
    from ..reports.marks import Marks
    from ..results import Results, Row
    from ..selecting import Selection

FINDINGS_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    defaults = Settings()
    parser.add_argument(
        "--backend",
        required=True,
        metavar="NAME",
        help="a backend of `onnx-validate backends`, python:MODULE[:ATTR] or 'command:PROGRAM ...'",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "--python", metavar="PATH", help="interpreter that has the runtime (default: this one)"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--jobs",
        type=_positive,
        default=_processors(),
        metavar="N",
        help="children that run at the same time (default: the processors, %(default)s here)",
    )
    limits.add_argument(
        "--timeout",
        type=_seconds,
        default=defaults.timeout,
        metavar="S",
        help="seconds for one vector (default: %(default)g)",
    )
    limits.add_argument(
        "--start-timeout",
        type=_seconds,
        default=defaults.start_timeout,
        metavar="S",
        help="seconds for a child to start (default: %(default)g)",
    )
    limits.add_argument(
        "--memory-limit",
        type=_positive,
        metavar="MIB",
        help="address space that a child may take (default: no limit)",
    )
    limits.add_argument(
        "--max-output",
        type=_positive,
        default=defaults.max_output,
        metavar="MIB",
        help="what a child may write without a reply among it (default: %(default)s)",
    )
    files = parser.add_argument_group("results and reports")
    files.add_argument(
        "--results", type=Path, metavar="FILE", help="write results as they come (JSON lines)"
    )
    files.add_argument(
        "--resume",
        action="store_true",
        help="continue the results in --results FILE where they were cut short",
    )
    for name in ("html", "junit", "markdown"):
        files.add_argument(
            f"--{name}", type=Path, metavar="FILE", help=f"write the report as {name}"
        )
    files.add_argument(
        "--verbose", action="store_true", help="list every failing vector, not the first few"
    )
    parser.add_argument(
        "--tolerance",
        choices=MODES,
        default=ONNX_MODE,
        help="how near is near enough for vectors that are not exact: ONNX's own pair, or ours",
    )
    checks = parser.add_argument_group("gate")
    checks.add_argument(
        "--baseline", type=Path, metavar="FILE", help="the failures that you know about"
    )
    checks.add_argument(
        "--rerun-failures",
        type=_positive,
        metavar="N",
        help="run what turns the gate red N more times, to tell a flake from a failure",
    )
    checks.add_argument(
        "--min-cases",
        type=_positive,
        metavar="N",
        help="fail where fewer vectors than this are selected",
    )
    add_arguments(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run, report and return the exit code."""
    backend = resolve_backend(arguments.backend, arguments.python)
    corpus = open_corpus(vectors_folder(arguments.vectors))
    selection = from_arguments(arguments)
    plan = make_plan(corpus, select(corpus, selection))
    if arguments.min_cases is not None and plan.selected < arguments.min_cases:
        raise IncompleteError(
            f"{plan.selected} vectors are selected, fewer than --min-cases {arguments.min_cases}"
        )
    expectations = NO_EXPECTATIONS
    if arguments.baseline is not None:
        expectations = resolve_baseline(read_baseline(arguments.baseline), corpus.entries)
    with recording(arguments.results, resume=arguments.resume) as record:
        if record.earlier is not None:
            check_same_run(record.earlier, backend.name, corpus.digest, tuple(plan.entries))
        run = _Run(arguments, backend, corpus, plan, selection, expectations)
        ended = run.run(record)
        record.close()
        return run.report(read_results(record.path), ended)


@dataclass(frozen=True)
class _Ended:
    """How a run ended: early for a reason, by a signal, or by itself."""

    unusable: str = ""
    signal: int | None = None


@dataclass(frozen=True)
class _Run:
    """One run of the command."""

    arguments: argparse.Namespace
    backend: Backend
    corpus: Corpus
    plan: Plan
    selection: Selection
    expectations: Expectations

    def run(self, record: Recording) -> _Ended:
        """Run what is planned and not recorded yet."""
        done = record.done
        settings = Settings(
            jobs=self.arguments.jobs,
            timeout=self.arguments.timeout,
            start_timeout=self.arguments.start_timeout,
            max_output=self.arguments.max_output,
        )
        launch = Launch(self.backend.command, memory_limit=self.arguments.memory_limit)
        todo = [vector_id for vector_id in self.plan.entries if vector_id not in done]
        self._announce(len(todo), resumed=record.earlier is not None)
        if not todo and record.earlier is not None:
            record.begin(record.earlier.header)
            record.finish(seconds=0)
            return _Ended()
        engine = Engine(launch, Preparer(self.plan.entries), settings, todo)
        progress = Progress(sys.stderr, len(self.plan.entries), len(done))
        began = time.monotonic()
        with stopping_on_signals(engine.stop) as signals:
            try:
                description = engine.start()
            except BackendUnusableError as error:
                raise BackendUnusableError(self._unusable(str(error))) from None
            record.begin(self._header(description))
            rows = judged_rows(engine, Court(self.plan, done, self.arguments.tolerance))
            if self.arguments.rerun_failures:
                rows = self._with_reruns(rows, launch, settings, engine, signals)
            for row in rows:
                record.row(row)
                progress.add(row)
        progress.clear()
        if signals:
            return _Ended(signal=signals[0])
        record.finish(
            seconds=round(time.monotonic() - began, 3),
            notes=dict(engine.notes),
            **({"unusable": engine.unusable} if engine.unusable else {}),
        )
        for note, count in engine.notes.items():
            _say(f"note: {note}" + (f" ({count} times)" if count > 1 else ""))
        if engine.unusable:
            return _Ended(unusable=self._unusable(engine.unusable))
        if not engine.answered and engine.lost == len(todo) > 1 and record.earlier is None:
            return _Ended(unusable=self._unusable(f"none of {engine.lost} vectors was answered"))
        return _Ended()

    def _with_reruns(
        self,
        rows: Iterator[Row],
        launch: Launch,
        settings: Settings,
        engine: Engine,
        signals: list[int],
    ) -> Iterator[Row]:
        """The rows; those that turn the gate red come last, with what they did when run again."""
        red = []
        known = {}
        for row in rows:
            if is_red(row, self.expectations):
                red.append(row)
            else:
                known[row.id] = row.verdict
                yield row

        def run(ids: Sequence[str]) -> Iterator[Row]:
            if signals:
                return
            again = Engine(launch, Preparer(self.plan.entries), settings, ids)
            with stopping_on_signals(again.stop) as caught:
                again.start()
                yield from judged_rows(again, Court(self.plan, known, self.arguments.tolerance))
            signals.extend(caught)

        over = signals or engine.unusable
        yield from red if over else run_again(red, self.arguments.rerun_failures, run)

    def _announce(self, todo: int, *, resumed: bool) -> None:
        if self.plan.added:
            _say(
                f"note: {len(self.plan.added)} more vectors are run as controls of the invalid"
                " ones: rejecting counts only where the valid neighbour passes"
            )
        if resumed:
            _say(f"note: {len(self.plan.entries) - todo} verdicts are there already; {todo} to go")

    def _unusable(self, reason: str) -> str:
        text = f"backend '{self.backend.name}' is unusable: {reason}"
        if self.backend.install and ("ImportError" in reason or "ModuleNotFoundError" in reason):
            text += f"; {self.backend.install}"
        return text

    def _header(self, description: Description) -> Header:
        corpus = self.corpus
        operators = {entry.id.split("-", 1)[0] for entry in self.plan.entries.values()}
        words = requirements(corpus.root)
        return Header(
            backend=self.backend.name,
            describe=description.raw,
            corpus={
                "version": corpus.version,
                "digest": corpus.digest,
                "root": str(corpus.root),
            },
            planned=tuple(self.plan.entries),
            requirements={
                operator: texts
                for operator, texts in words.items()
                if operator.rpartition(".")[2].lower() in operators or operator.lower() in operators
            },
            command=shlex.join(["onnx-validate", *sys.argv[1:]]),
            started=datetime.now().astimezone().isoformat(timespec="seconds"),
            extra=self._extra(),
        )

    def _extra(self) -> dict[str, Any]:
        extra: dict[str, Any] = {
            "backend": self.arguments.backend,
            "arguments": self._words_to_repeat(),
            "controls_added": list(self.plan.added),
        }
        asked = self.selection.to_json()
        if asked:
            extra["selection"] = asked
        if self.selection.shard is not None:
            part, parts = self.selection.shard
            extra["shard"] = f"{part}/{parts}"
        return extra

    def _words_to_repeat(self) -> list[str]:
        """The options that a run of one vector alone needs as well."""
        words = []
        for option, value in (
            ("--vectors", self.arguments.vectors),
            ("--python", self.arguments.python),
            ("--memory-limit", self.arguments.memory_limit),
        ):
            if value is not None:
                words += [option, str(value)]
        if self.arguments.timeout != Settings().timeout:
            words += ["--timeout", f"{self.arguments.timeout:g}"]
        return words

    # --- what is said at the end -----------------------------------------------------------

    def report(self, results: Results, ended: _Ended) -> int:
        """Print and write the reports; return the exit code."""
        from ..reports import terminal

        if ended.signal is not None:
            return self._stopped(results, ended.signal)
        outcome = gate(results.rows, self.expectations, results.header.planned)
        limit = len(results.rows) if self.arguments.verbose else terminal.DEFAULT_LIMIT
        terminal.write([results], sys.stdout, limit=limit)
        if self.arguments.baseline is not None or self.arguments.rerun_failures:
            self._print_gate(outcome)
        self._write_reports(results, marks_of(outcome, self.expectations))
        if ended.unusable:
            _say(ended.unusable)
            # What the run did not come to is missing for this reason, which says more than 5.
            return ExitCode.BACKEND_UNUSABLE
        return _exit_code(results, outcome)

    def _stopped(self, results: Results, number: int) -> int:
        rows, planned = len(results.rows), len(results.header.planned)
        kept = ""
        if self.arguments.results is not None:
            kept = f"; they are in {self.arguments.results}, and --resume continues them"
        _say(f"stopped: {rows} of {planned} vectors have a verdict{kept}")
        return 128 + number

    def _print_gate(self, outcome: GateOutcome) -> None:
        shown = outcome.findings
        if not self.arguments.verbose:
            shown = shown[:FINDINGS_SHOWN]
        for finding in shown:
            print(finding.message)
        if len(shown) < len(outcome.findings):
            print(f"... and {len(outcome.findings) - len(shown)} more; --verbose lists all")
        print(in_words(outcome))

    def _write_reports(self, results: Results, marks: Marks) -> None:
        for name in ("html", "junit", "markdown"):
            path: Path | None = getattr(self.arguments, name)
            if path is not None:
                from importlib import import_module

                module = import_module(f"..reports.{name}", __package__)
                given = {results.header.backend: marks} if self.arguments.baseline else None
                write_whole(path, module.render([results], given))


def _exit_code(results: Results, outcome: GateOutcome) -> int:
    codes = [int(outcome.exit_code)]
    if any(row.verdict == Verdict.BAD_VECTOR.value for row in results.rows):
        codes.append(ExitCode.BAD_INPUT)
    return max(codes)


def _say(text: str) -> None:
    print(f"onnx-validate: {text}", file=sys.stderr)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return value
