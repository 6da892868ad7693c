"""Every runtime that is installed here, on the standard corpus: docs/scoreboard.md and a site.

    python benchmarks/scoreboard.py [--slow] [NAME ...]

Runtimes are looked for where `make test-runtimes` puts them. A backend with adaptations is a column
as it is and another one adapted. What compiles each model is left out without --slow.
Results are kept in build/scoreboard/: a run that was stopped is continued, and where the corpus has
changed, only the operator versions whose vectors are others now are run again.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from runtimes import FOLDER, NODE, environment_of, is_here  # noqa: E402  after the path

from onnx_conformance.core.corpus.corpus import open_corpus  # noqa: E402  after the path
from onnx_conformance.core.corpus.requirements import requirements  # noqa: E402  after the path
from onnx_conformance.core.errors import BadInputError  # noqa: E402  after the path
from onnx_conformance.core.files import replacing, write_whole  # noqa: E402  after the path
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS  # noqa: E402  after the path
from onnx_conformance.validator.results.file_format import (  # noqa: E402  after the path
    ResultsWriter,
    read_results,
)

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.validator.results.records import Results

VALIDATE = Path(sys.executable).with_name("onnx-validate")
RESULTS = ROOT / "build" / "scoreboard"
CORPUS = ROOT / "build" / "vectors"
NODE_NAMES = ("onnxruntime-web", "onnxruntime-node")


def main() -> int:
    """Run what is missing, then make the reports; 1 where a backend could not be used."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="backends (default: all that are installed)")
    parser.add_argument("--slow", action="store_true", help="those that take hours, too")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    chosen = columns(slow=arguments.slow)
    if arguments.names:
        chosen = [column for column in chosen if column[0] in arguments.names]
    done = [_run(name, options) for name, options in chosen]
    files = [
        str(RESULTS / f"{name}.jsonl") for (name, _), good in zip(chosen, done, strict=True) if good
    ]
    if not files:
        print("no runtime could be run; `make test-runtimes` installs them", file=sys.stderr)
        return 1
    commands = (
        ["report", *files, "--limit", "0", "--scoreboard", "docs/scoreboard.md"],
        ["site", *files, "--output", "build/scoreboard/site"],
    )
    made = [
        subprocess.run(
            [str(VALIDATE), *command], cwd=ROOT, check=False, stdout=subprocess.DEVNULL
        ).returncode
        for command in commands
    ]
    print("docs/scoreboard.md, build/scoreboard/site/index.html")
    return 0 if all(done) and not any(made) else 1


def columns(*, slow: bool) -> list[tuple[str, list[str]]]:
    """(name, options of `onnx-validate run`) of each column."""
    columns: list[tuple[str, list[str]]] = []
    for backend in KNOWN_BACKENDS:
        python = environment_of(backend) / "bin" / "python"
        if not is_here(backend) and not python.exists():
            print(f"{backend.name}: not installed", file=sys.stderr)
            continue
        if not slow and any(word in backend.remark for word in ("slow", "compiles")):
            print(f"{backend.name}: left out, {backend.remark}", file=sys.stderr)
            continue
        where = [] if is_here(backend) else ["--python", str(python)]
        names = [backend.name, *(f"{backend.name}+{item}" for item in backend.adapted)]
        columns += [(name, ["--backend", name, *where]) for name in names]
    packages = FOLDER / NODE / "node_modules"
    if packages.is_dir() and shutil.which("node"):
        # Node looks for packages near the file.
        harness = shutil.copy(ROOT / "examples" / "javascript" / "onnxruntime.mjs", FOLDER / NODE)
        for name in NODE_NAMES:
            command = f"command:node {harness} {name}"
            columns.append((name, ["--backend", command, "--name", name]))
    return columns


def _run(name: str, options: list[str]) -> bool:
    """Run what a column lacks of this corpus; False where it could not be run."""
    path = RESULTS / f"{name}.jsonl"
    corpus = open_corpus(CORPUS)
    if take_over(ROOT / "build" / f"{name}.jsonl", path, corpus):
        return True
    earlier = _earlier(path)
    if earlier is not None and earlier.header.corpus.get("digest") != corpus.digest:
        earlier = carry_over(path, earlier, corpus)
    if earlier is not None and not earlier.missing:
        return True
    print(f"{name} ...", flush=True)
    command = [str(VALIDATE), "run", *options, "--results", str(path), "--vectors", str(CORPUS)]
    if earlier is not None:
        command.append("--resume")
    # Written first: what a stopped run leaves behind is of this corpus, too.
    write_whole(_versions_file(path), json.dumps(versions(corpus)))
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    # 1: something did not pass, which is what a scoreboard is for.
    return done.returncode in {0, 1}


def take_over(validated: Path, path: Path, corpus: Corpus) -> bool:
    """Take what `make validate` found of this corpus: one run, and so one number on every page."""
    found = _earlier(validated)
    if found is None or found.missing or found.header.corpus.get("digest") != corpus.digest:
        return False
    shutil.copy(validated, path)
    write_whole(_versions_file(path), json.dumps(versions(corpus)))
    return True


def _earlier(path: Path) -> Results | None:
    try:
        return read_results(path)
    except BadInputError:
        return None


def carry_over(path: Path, earlier: Results, corpus: Corpus) -> Results | None:
    """Make earlier results a run of this corpus that was stopped: what is still true of it is done.

    A verdict holds where the vectors of its operator version have the digest that they had. None
    where it is not known which they were.
    """
    try:
        then = json.loads(_versions_file(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    now = versions(corpus)
    same = {version for version, digest in now.items() if then.get(version) == digest}
    header = replace(
        earlier.header,
        corpus={**earlier.header.corpus, "digest": corpus.digest},
        planned=tuple(corpus.entries),
        requirements=requirements(corpus.root),
    )
    with replacing(path) as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
        writer = ResultsWriter(text)
        writer.header(header)
        for row in earlier.rows:
            if row.id in corpus.entries and row.id.split("/", 1)[0] in same:
                writer.row(row)
    write_whole(_versions_file(path), json.dumps(now))
    return read_results(path)


def versions(corpus: Corpus) -> dict[str, str]:
    """The digest of the vectors of each operator version."""
    manifest = json.loads((corpus.root / "manifest.json").read_text(encoding="utf-8"))
    return {version: facts["digest"] for version, facts in manifest["operators"].items()}


def _versions_file(path: Path) -> Path:
    return path.with_suffix(".versions.json")


if __name__ == "__main__":
    sys.exit(main())
