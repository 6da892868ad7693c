"""A pytest test for each vector, run in the engine's child and compared with the baseline.

Each process of pytest (with pytest-xdist: each worker) keeps one child of the backend and sends it
the vectors of its tests one after the other; an end of the child is that test's failure.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.requirements import requirements, sentences
from onnx_conformance.core.corpus.small import SMALL
from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.systems import command_line
from onnx_conformance.core.text import visible
from onnx_conformance.core.values.limits import IEEE

from ..gate.entries import BaselineEntry, read_baseline
from ..gate.expectations import NO_EXPECTATIONS, expectations_of
from ..gate.made_with import OtherRuntime, other_runtime, runtime_of
from ..gate.status import GREEN, Status
from ..host.backends import find_backend
from ..host.worker import Settings
from ..profiles.claiming import claimed_of, reasons_in_words, require_any
from ..reports.facts.completeness import VALIDITY_ALONE
from ..results.records import HarnessFacts, Row
from ..running.declared import Declared, declared
from ..running.planning import make_plan
from ..running.rows import RowJudge
from ..running.selecting import Selection, select
from .passes import Passes
from .runner import NODE, Runner

MARKER = "onnx_vector"
_STDERR_SHOWN = 2000


class VectorsPlugin:
    """The state before the first test: the backend, the vectors and the baseline."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the options; pytest.UsageError says on one line what is wrong with them."""
        config.addinivalue_line("markers", f"{MARKER}: a vector of onnx-conformance")
        _require_onnx()
        try:
            self.backend = find_backend(
                config.getoption("--onnx-backend"), config.getoption("--onnx-python")
            )
            given = config.getoption("--onnx-vectors")
            self.corpus = open_vectors(Path(given) if given else None)
            selection = _selection(config)
            selected = select(self.corpus, selection)
            self._unclaimed, claims, selected = self._claimed(config, selected)
            self.selected = tuple(entry.id for entry in selected)
            plan = make_plan(self.corpus, selected)
            self.expectations = NO_EXPECTATIONS
            self.other: OtherRuntime | None = None
            self._judges = ""
            if config.getoption("--onnx-baseline"):
                beside = config.getoption("--onnx-include-from")
                baseline = read_baseline(
                    Path(config.getoption("--onnx-baseline")), Path(beside) if beside else None
                )
                self.expectations = expectations_of(
                    baseline,
                    self.corpus.entries,
                    self.corpus.withdrawn,
                    strict_new=config.getoption("--onnx-strict-new"),
                )
            if _distributes(config) and not config.getoption("collectonly"):
                # Before pytest-xdist starts workers, so that they find the files.
                self.corpus.provide(plan.entries.values())
            self.passes = Passes(self.expectations, self.selected, selection, claims.profile)
            supply = self.corpus.supply(plan.entries.values())
        except ConformanceError as error:
            raise pytest.UsageError(str(error)) from None
        settings = Settings(timeout=config.getoption("--onnx-timeout") or Settings().timeout)
        self.command = _command(config)
        self.words = requirements(self.corpus.root)
        row_judge = RowJudge(
            plan,
            {},
            accuracy=config.getoption("--onnx-accuracy") or IEEE,
            profile=claims.profile,
        )
        self.runner = Runner(
            self.backend,
            plan,
            settings,
            self.expectations,
            row_judge,
            supply,
            asked=claims.description,
        )

    def _claimed(
        self, config: pytest.Config, selected: tuple[Entry, ...]
    ) -> tuple[str, Declared, tuple[Entry, ...]]:
        """What the runtime does not claim, in words; what it claims; and which of the vectors.

        Raises IncompleteError if it claims none of them.
        """
        claims = declared(
            config.getoption("--onnx-profile"),
            config.getoption("--onnx-backend"),
            self.backend,
            Settings().start_timeout,
            "--onnx-profile",
        )
        if claims.profile is None:
            return "", claims, selected
        claimed = claimed_of(claims.profile, claims.origin, self.corpus, selected)
        require_any(claimed, "`onnx-validate run --all`")
        words = [f"in the profile: {sentence}" for sentence in claimed.unknown]
        if claimed.left_out:
            reasons = reasons_in_words(claimed.not_claimed)
            words.insert(0, f"not claimed ({claims.origin}), and no tests: {reasons}")
        return "; ".join(words), claims, claimed.entries

    def pytest_report_header(self) -> str:
        """One line with the backend and the vectors."""
        listed = (
            f", {len(self.expectations.of)} listed in the baseline"
            if (self.expectations.of)
            else ""
        )
        return (
            f"{NODE}: {self.backend.name} on {len(self.selected):,} vectors"
            f" of corpus {self.corpus.version}{listed}{self._judges}"
            + (f"; {self._unclaimed}" if self._unclaimed else "")
        )

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start the backend: if it cannot start, that is no test failure."""
        if session.config.getoption("collectonly"):
            return
        try:
            description = self.runner.start()
        except ConformanceError as error:
            raise pytest.UsageError(str(error)) from None
        known = self.expectations
        if description.judges == "validity":
            self._judges = f"; {VALIDITY_ALONE}"
        ran = runtime_of(cast("HarnessFacts", description.raw))
        self.other = other_runtime(known.made_with, ran, known.file)
        if _distributes(session.config):
            self.runner.close()  # each worker has a child of its own

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Add a test for each vector, before anything is deselected."""
        parent = VectorsNode.from_parent(session, name=NODE, nodeid=NODE)
        parent.plugin = self
        items.extend(
            VectorItem.from_parent(parent, name=vector_id, entry=self.corpus.entries[vector_id])
            for vector_id in self.selected
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what passes: a session in which nothing does is not green."""
        if report.nodeid.startswith(f"{NODE}::"):
            self.passes.add(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Report what no test tells: another version than the baseline's, no values compared."""
        lines = [VALIDITY_ALONE] if self._judges else []
        if self._unclaimed:
            lines.append(self._unclaimed)
        if self.other is not None:
            lines.append(self.other.words("some may differ from what is listed"))
        if self.passes.alarm:
            lines.append(self.passes.alarm)
        if lines and not hasattr(terminalreporter.config, "workerinput"):
            terminalreporter.section(NODE)
            for line in lines:
                terminalreporter.line(visible(line))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Release the child; a session in which too few vectors passed fails.

        Vectors that are still being made are kept for the next session.
        """
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self.runner.wait()
        self.runner.close()
        worker = hasattr(session.config, "workerinput")
        if exitstatus == pytest.ExitCode.OK and self.passes.alarm and not worker:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _require_onnx() -> None:
    """Raise pytest.UsageError if vectors cannot be read: each would become a bad vector."""
    try:
        import onnx  # noqa: F401  whether it is there
    except ImportError as error:
        raise pytest.UsageError(
            f"--onnx-backend needs onnx 1.14 or later beside pytest, to read the vectors ({error});"
            " install it, or leave this environment as it is, and judge it from another one:"
            f" onnx-validate run --backend NAME --python {sys.executable}"
        ) from None


def _selection(config: pytest.Config) -> Selection:
    """What the options select."""
    size = config.getoption("--onnx-size")
    return Selection(
        patterns=tuple(config.getoption("--onnx-select")),
        corpus_as_of=config.getoption("--onnx-corpus-as-of"),
        size=SMALL if size == SMALL else None,
    )


def _distributes(config: pytest.Config) -> bool:
    """Whether this process only distributes tests to the workers of pytest-xdist."""
    return not hasattr(config, "workerinput") and bool(getattr(config.option, "tx", None))


def _command(config: pytest.Config) -> str:
    """The command that runs a vector alone, without its id."""
    words = ["onnx-validate", "run", "--backend", config.getoption("--onnx-backend")]
    for option in ("vectors", "python", "timeout", "accuracy", "profile"):
        value = config.getoption(f"--onnx-{option}")
        if value:
            words += [f"--{option}", str(value)]
    return command_line(words)


# --- tests ---------------------------------------------------------------------------------


class VectorsNode(pytest.Collector):
    """The parent of all vectors' tests."""

    plugin: VectorsPlugin

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Nothing: the tests are added by the plugin."""
        return []


class LostChildrenError(ConformanceError):
    """Too many children were lost: no vector's verdict tells of it, so the next test fails."""


class VectorFailure(Exception):  # noqa: N818  it is shown to nobody by this name
    """A verdict that turns the gate red."""

    def __init__(self, row: Row, status: Status, entry: BaselineEntry | None) -> None:
        """Keep what the failure will show."""
        super().__init__(row.id)
        self.row = row
        self.status = status
        self.entry = entry


class VectorItem(pytest.Item):
    """The test of one vector."""

    def __init__(self, *, entry: Entry, **facts: Any) -> None:  # noqa: ANN401  pytest's own
        """A test of the vector; pytest calls this through `from_parent`."""
        super().__init__(**facts)
        self.entry = entry
        self.add_marker(MARKER)

    @property
    def plugin(self) -> VectorsPlugin:
        """The plugin that made this test."""
        plugin: VectorsPlugin = self.parent.plugin  # type: ignore[union-attr]
        return plugin

    def runtest(self) -> None:
        """Run the vector and compare its verdict with the baseline."""
        row = self.plugin.runner.row(self.entry.id)
        entry = self.plugin.expectations.of.get(self.entry.id)
        status = self.plugin.expectations.status(row)
        if status is Status.NEW and not row.passed:
            since = self.plugin.expectations.newer[row.id]
            pytest.xfail(f"new in corpus {since}, and the baseline is older: {row.message}")
        if entry is not None and status in GREEN and not row.passed:
            pytest.xfail(f"{entry.where}: {entry.listed}: {entry.reason}")
            # With --runxfail that raises no exception: the failure must show.
        if not row.passed or status not in GREEN:
            raise VectorFailure(row, status, entry)
        lost = self.plugin.runner.lost()
        if lost:
            raise LostChildrenError(lost)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:  # noqa: ANN401  pytest's own
        """The text that a person needs; without our traceback."""
        error = excinfo.value
        if isinstance(error, VectorFailure):
            return self._explained(error)
        if isinstance(error, (ConformanceError, pytest.xfail.Exception)):
            return str(error)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The vector's directory."""
        return self.entry.directory, None, self.entry.id

    def _explained(self, error: VectorFailure) -> str:
        row, entry = error.row, error.entry
        headline = f"{row.id}: {row.verdict}"
        company = ""
        if "in_company" in row.details:
            fared = row.details["in_company"]
            headline = f"{row.id}: {row.verdict} alone, but {fared['verdict']} behind others"
            company = f"behind {fared['after']}: {fared['message']}"
        elif error.status is Status.STALE:
            headline = f"{row.id}: passes, but is listed as {entry.listed if entry else ''}"
        parts = [
            ("message", row.message),
            ("in company", company),
            ("baseline", _listed(entry)),
            ("requirement", "\n".join(self._requirements(row))),
            ("inputs", _lines(row.details.get("inputs"))),
            ("model", row.details.get("model", "")),
            ("standard error", row.stderr[-_STDERR_SHOWN:].rstrip()),
            ("run it alone", f"{self.plugin.command} '{row.id}'"),
            ("files", str(self.entry.directory)),
        ]
        lines = [headline]
        for name, text in parts:
            if text and not (name in ("requirement", "inputs") and row.passed):
                indented = text.replace("\n", "\n    ")
                lines.append(
                    f"  {name}:" + (f"\n    {indented}" if "\n" in text else f" {indented}")
                )
        return visible("\n".join(lines))

    def _requirements(self, row: Row) -> tuple[str, ...]:
        """The requirements of the vector, with their source."""
        return sentences(self.plugin.words, row.operator, row.covers)


def _listed(entry: BaselineEntry | None) -> str:
    if entry is None:
        return ""
    link = f" {entry.link}" if entry.link else ""
    return f"{entry.where}: {entry.said}: {entry.reason}{link}"


def _lines(inputs: Any) -> str:  # noqa: ANN401  JSON
    return "\n".join(text for data_set in inputs or () for text in data_set)
