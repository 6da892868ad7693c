"""Runs one backend on one corpus in shards, and makes one results file of them.

A shard is a run of `onnx-validate` with a file of its own. What was stopped is continued: a shard
that is whole is not run again, and one that is not begins after its last verdict. Where the corpus
has changed, the verdicts on operator versions whose vectors are the same are kept.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.requirements import joined, requirements
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.files import replacing, write_whole
from onnx_conformance.core.systems import command_line
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import ResultsWriter, read_results
from onnx_conformance.validator.results.lost_children import lost_children, of_shards
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.selecting import Selection, select, shard_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.validator.results.records import Header, Results, Row, RunFacts

ROOT = Path(__file__).parents[2]
VALIDATE = Path(sys.executable).with_name("onnx-validate")
# 1: something did not pass, which is what a scoreboard is for.
_RAN = (ExitCode.OK, ExitCode.UNEXPECTED)


@dataclass(frozen=True)
class Board:
    """The runs of one corpus.

    Attributes:
        vectors: the folder of the corpus.
        results: the folder with a results file for each backend, when all its shards are whole.
        operators: the operators that are run; empty for all.
        shards: in how many parts a backend is run.
    """

    vectors: Path
    results: Path
    operators: tuple[str, ...] = ()
    shards: int = 8

    def path(self, name: str) -> Path:
        """The results of a backend, all shards in one."""
        return self.results / f"{name}.jsonl"

    def folder(self, name: str) -> Path:
        """The shards of a backend while it runs."""
        return self.results / "shards" / name

    def shard(self, name: str, number: int) -> Path:
        """The results of one shard."""
        return self.folder(name) / f"{number}-of-{self.shards}.jsonl"

    def versions(self, name: str) -> Path:
        """The digests of the operator versions that a backend's files are of."""
        return self.results / f"{name}.versions.json"


def run(board: Board, name: str, options: Sequence[str], validated: Path | None = None) -> bool:
    """Run what a backend lacks of a corpus; False where it could not be run.

    `validated` is a results file of the same backend that `make validate` may have written.
    """
    corpus = open_corpus(board.vectors)
    everything = select(corpus, Selection(operators=board.operators))
    planned = tuple(make_plan(corpus, everything).entries)
    found = earlier(board.path(name))
    if found is not None and is_whole(found, corpus, planned):
        return True
    if validated is not None and take_over(validated, board, name, corpus, planned):
        return True
    of_shard = {
        number: tuple(make_plan(corpus, part).entries)
        for number in range(1, board.shards + 1)
        if (part := [entry for entry in everything if shard_of(entry.id, board.shards) == number])
    }
    deal(board, name, corpus, of_shard)
    # A second time where a runtime was replaced by another version between two shards.
    for _ in range(2):
        for number, ids in of_shard.items():
            there = earlier(board.shard(name, number))
            if there is None or not is_whole(there, corpus, ids):
                todo = len(ids) if there is None else len(there.missing) + _damaged(there)
                print(f"{name}: shard {number} of {board.shards}, {todo:,} vectors", flush=True)
                if not _run_shard(board, name, options, number, resumed=there is not None):
                    return False
        parts = {number: read_results(board.shard(name, number)) for number in of_shard}
        outdated = of_other_versions(parts)
        if not outdated:
            header = _header_of_all(parts, board, options, planned)
            _write(board.path(name), header, rows_of(parts, board.shards), parts.values())
            shutil.rmtree(board.folder(name))
            return True
        for number in outdated:
            board.shard(name, number).unlink()
    return False


def _run_shard(
    board: Board, name: str, options: Sequence[str], number: int, *, resumed: bool
) -> bool:
    command = [
        *(str(VALIDATE), "run", *options, "--vectors", str(board.vectors)),
        *(word for operator in board.operators for word in ("--operator", operator)),
        *("--shard", f"{number}/{board.shards}", "--results", str(board.shard(name, number))),
    ]
    code = _called([*command, "--resume"] if resumed else command)
    if code == ExitCode.USAGE and resumed:
        code = _called([*command, "--force"])  # begun by another version of the runtime
    return code in _RAN


def _called(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode


# --- what is there already ------------------------------------------------------------------


def earlier(path: Path) -> Results | None:
    """The results of an earlier run, also of one that was stopped; None without any."""
    try:
        return read_results(path)
    except BadInputError:
        return None


def is_whole(results: Results, corpus: Corpus, planned: Iterable[str]) -> bool:
    """Whether results have a verdict on each of these vectors of this corpus."""
    return (
        results.header.corpus.get("digest") == corpus.digest
        and set(results.header.planned) == set(planned)
        and not results.missing
        and not _damaged(results)
    )


def _damaged(results: Results) -> int:
    """How many vectors could not be read, which says nothing of the backend."""
    return sum(row.verdict is Verdict.BAD_VECTOR for row in results.rows)


def take_over(
    validated: Path, board: Board, name: str, corpus: Corpus, planned: Iterable[str]
) -> bool:
    """Take what `make validate` found of this corpus: one run, and so one number on every page."""
    found = earlier(validated)
    if found is None or not is_whole(found, corpus, planned):
        return False
    board.results.mkdir(parents=True, exist_ok=True)
    shutil.copy(validated, board.path(name))
    write_whole(board.versions(name), json.dumps(versions(corpus)))
    return True


def deal(board: Board, name: str, corpus: Corpus, of_shard: Mapping[int, Sequence[str]]) -> None:
    """Deal what is still true of earlier files of a backend to the shards of today's corpus.

    A verdict holds where the vectors of its operator version have the digest that they had; nothing
    is kept where it is not known which they were. A shard of today's corpus stays as it is.
    """
    folder = board.folder(name)
    folder.mkdir(parents=True, exist_ok=True)
    now = versions(corpus)
    same = {version for version, digest in _then(board, name).items() if now.get(version) == digest}
    whole = board.path(name)
    old = [item for item in map(earlier, (whole, *sorted(folder.glob("*.jsonl")))) if item]
    rows: dict[str, Row] = {}
    for item in old:
        of_today = item.header.corpus.get("digest") == corpus.digest
        rows.update(
            (row.id, row)
            for row in item.rows
            if row.verdict is not Verdict.BAD_VECTOR
            and row.id in corpus.entries
            and (of_today or row.id.partition("/")[0] in same)
        )
    for number, ids in of_shard.items():
        path = board.shard(name, number)
        there = earlier(path)
        if there is not None and _is_begun(there, corpus, ids):
            continue
        path.unlink(missing_ok=True)
        kept = [rows[item] for item in ids if item in rows]
        if kept:
            _write(path, _header_of_shard(old[0].header, corpus, ids), kept)
    for path in folder.glob("*.jsonl"):
        if path not in {board.shard(name, number) for number in of_shard}:
            path.unlink()
    # From here on the shards have it: what the file of digests says, it says of them.
    whole.unlink(missing_ok=True)
    write_whole(board.versions(name), json.dumps(now))


def _is_begun(results: Results, corpus: Corpus, ids: Iterable[str]) -> bool:
    header = results.header
    return header.corpus.get("digest") == corpus.digest and set(header.planned) == set(ids)


def _then(board: Board, name: str) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(board.versions(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def versions(corpus: Corpus) -> dict[str, str]:
    """The digest of the vectors of each operator version; empty if the manifest has none."""
    manifest = json.loads((corpus.root / "manifest.json").read_text(encoding="utf-8"))
    operators = manifest.get("operators", {})
    return {version: facts["digest"] for version, facts in operators.items()}


# --- putting together -----------------------------------------------------------------------


def of_other_versions(parts: Mapping[int, Results]) -> list[int]:
    """The shards that another version of the runtime ran than the one that was begun last."""

    def judged(results: Results) -> tuple[str | None, str | None]:
        described = results.header.describe
        return described.get("name"), described.get("version")

    newest = judged(max(parts.values(), key=lambda item: item.header.started))
    return [number for number, results in parts.items() if judged(results) != newest]


def rows_of(parts: Mapping[int, Results], shards: int) -> list[Row]:
    """A row for each vector: that of its own shard, before that of a control in another one."""
    every = [(number, row) for number, results in parts.items() for row in results.rows]
    rows = {row.id: row for number, row in every if shard_of(row.id, shards) == number}
    for _, row in every:
        rows.setdefault(row.id, row)
    return list(rows.values())


def _header_of_all(
    parts: Mapping[int, Results], board: Board, options: Sequence[str], planned: tuple[str, ...]
) -> Header:
    """The header of one run of everything."""
    first = next(iter(parts.values())).header
    chosen = [word for operator in board.operators for word in ("--operator", operator)]
    command = ["onnx-validate", "run", *options, "--vectors", str(board.vectors), *chosen]
    return replace(
        first,
        planned=planned,
        requirements=joined(results.header.requirements for results in parts.values()),
        command=command_line(command),
        started=min(results.header.started for results in parts.values()),
        extra=_without_shard(first.extra),
    )


def _header_of_shard(header: Header, corpus: Corpus, ids: Sequence[str]) -> Header:
    return replace(
        header,
        corpus={**header.corpus, "digest": corpus.digest},
        planned=tuple(ids),
        requirements=requirements(corpus.root),
        extra=_without_shard(header.extra),
    )


def _without_shard(extra: RunFacts) -> RunFacts:
    kept = extra.copy()
    kept.pop("shard", None)
    kept.pop("selected", None)
    kept.pop("selection", None)
    kept.pop("controls_added", None)
    return kept


def _write(
    path: Path, header: Header, rows: Iterable[Row], ended: Iterable[Results] | None = None
) -> None:
    """Write a results file; with a footer where all its runs have ended."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
        writer = ResultsWriter(text)
        writer.header(header)
        for row in rows:
            writer.row(row)
        if ended is not None:
            ids = {item for results in ended for item in results.header.planned}
            lost = of_shards([lost_children(results) for results in ended], len(ids))
            facts = {"lost_children": lost.to_json()} if lost.count else {}
            writer.footer(**facts)
