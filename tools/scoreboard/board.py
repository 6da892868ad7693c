"""One backend on one corpus: run what is missing, take over what is still true of earlier runs.

`onnx-validate run --reuse` does all of it: a verdict is taken over where vector, runtime, harness
and options are the same, and a run that was stopped is continued.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Corpus, open_corpus
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import Results
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.selecting import Selection, select

ROOT = Path(__file__).parents[2]
VALIDATE = Path(sys.executable).with_name("onnx-validate")
# 1: something did not pass, which is what a scoreboard is for.
_RAN = (ExitCode.OK, ExitCode.UNEXPECTED)
# A part that every runtime can be run on: the form in which a model says all that it can.
_PLAIN = "static"


@dataclass(frozen=True)
class Board:
    """The runs of one corpus.

    Attributes:
        vectors: the folder of the corpus.
        results: the folder with a results file for each backend.
        operators: the operators that are run; empty for all.
        part: whether only the newest version of each operator is run, in the plain form.
        shard: (K, N) for the K-th of N parts of these: by a hash of the id, so a fair sample.
    """

    vectors: Path
    results: Path
    operators: tuple[str, ...] = ()
    part: bool = False
    shard: tuple[int, int] | None = None

    def path(self, name: str) -> Path:
        """The results of a backend; each shard has a file of its own, and they add up."""
        shard = f".{self.shard[0]}-of-{self.shard[1]}" if self.shard else ""
        return self.results / f"{name}{shard}.jsonl"

    @property
    def selection(self) -> Selection:
        """The vectors that are run."""
        forms = (_PLAIN,) if self.part else ()
        return Selection(operators=self.operators, forms=forms, newest=self.part, shard=self.shard)

    @property
    def words(self) -> list[str]:
        """The options of `onnx-validate run` that select them."""
        chosen = [word for operator in self.operators for word in ("--operator", operator)]
        shard = ("--shard", "/".join(map(str, self.shard))) if self.shard else ()
        return [*chosen, *(("--newest", "--form", _PLAIN) if self.part else ()), *shard]


def run(board: Board, name: str, options: Sequence[str], validated: Path | None = None) -> bool:
    """Run what a backend lacks of a corpus; False where it could not be run.

    `validated` is a results file of the same backend that `make validate` may have written.
    """
    corpus = open_corpus(board.vectors)
    planned = tuple(make_plan(corpus, select(corpus, board.selection)).entries)
    path = board.path(name)
    there = earlier(path)
    if there is not None and is_whole(there, corpus, planned):
        return True
    if validated is not None and take_over(validated, path, corpus, planned):
        return True
    todo = len(planned) if there is None or not _is_of(there, corpus, planned) else None
    count = f"{len(there.missing) if there and todo is None else todo:,}"
    print(f"{name}: {count} vectors, but for those that did not change", flush=True)
    board.results.mkdir(parents=True, exist_ok=True)
    command = [str(VALIDATE), "run", *options, "--vectors", str(board.vectors), *board.words]
    command += ["--results", str(path)]
    if there is not None and _is_of(there, corpus, planned) and there.footer is None:
        code = _called([*command, "--resume"])
        if code != ExitCode.USAGE:  # it was begun by another version of the runtime
            return code in _RAN
    return _called([*command, "--reuse", str(path), "--force"]) in _RAN


def _called(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode


def earlier(path: Path) -> Results | None:
    """The results of an earlier run, also of one that was stopped; None without any."""
    try:
        return read_results(path)
    except BadInputError:
        return None


def is_whole(results: Results, corpus: Corpus, planned: Iterable[str]) -> bool:
    """Whether results have a verdict on each of these vectors of this corpus."""
    damaged = any(row.verdict is Verdict.BAD_VECTOR for row in results.rows)
    return _is_of(results, corpus, planned) and not results.missing and not damaged


def _is_of(results: Results, corpus: Corpus, planned: Iterable[str]) -> bool:
    same = results.header.corpus.get("digest") == corpus.digest
    return same and set(results.header.planned) == set(planned)


def take_over(validated: Path, path: Path, corpus: Corpus, planned: Iterable[str]) -> bool:
    """Take what `make validate` found of this corpus: one run, and so one number on every page."""
    found = earlier(validated)
    if found is None or not is_whole(found, corpus, planned):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(validated, path)
    return True
