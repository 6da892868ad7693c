"""`make validate`: real runtimes on every vector, side by side, and what they do.

    python -m tools.validating run [--jobs N]    run them
    python -m tools.validating show              print what they did, and write the pages

`run` begins with onnxruntime on the excerpt that is in the clone, so that there is a verdict while
the rest is made. Then each backend runs on everything in a process of its own, since one run keeps
one processor busy with judging; each has as many children as there are jobs, so that others go on
beside one that hangs. Vectors that `make vectors` wrote are taken as they are; without
them the runs make their vectors while they judge, and share them in build/archives.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from onnx_conformance.core.progress import Progress

BACKENDS = ("reference", "checker", "onnxruntime")
FIRST = "onnxruntime"
BUILD = Path("build")
EXCERPT = Path("vectors")
WRITTEN = BUILD / "vectors"
LISTED = EXCERPT / "standard"
ARCHIVES = BUILD / "archives"
_LOOK = 0.5  # seconds
# The slowest vector that is answered takes a quarter of a second. What hangs is waited for twice,
# in company and alone, and keeps a processor busy meanwhile.
_TIMEOUT = 5  # seconds
_RED = 1  # the excerpt has no baseline: onnxruntime fails some of it
_ROW = b'{"record":"row"'


def main() -> int:
    """Run what is asked for; the exit code is the highest of the runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("run", "show"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    os.environ["ONNX_CONFORMANCE_CACHE"] = str(ARCHIVES.absolute())
    if arguments.what == "show":
        return show()
    BUILD.mkdir(exist_ok=True)
    return first_verdict(arguments.jobs) or run_all(arguments.jobs)


def first_verdict(jobs: int) -> int:
    """Run one backend on the excerpt in git; 0 if it could be judged."""
    print(f"{FIRST} on the excerpt of the corpus in {EXCERPT}/:\n", flush=True)
    done = onnx_validate(
        *("run", "--backend", FIRST, "--vectors", str(EXCERPT), "--jobs", str(jobs)),
        *("--results", str(BUILD / "excerpt.jsonl"), "--force"),
    )
    print(flush=True)
    return 0 if done == _RED else done


def run_all(jobs: int) -> int:
    """Run each backend on everything, beside each other."""
    total = json.loads((LISTED / "manifest.json").read_bytes())["count"]
    vectors = everything()
    how = "made while they are judged" if vectors == LISTED else f"read from {vectors}"
    names = ", ".join(BACKENDS)
    print(f"{names} on {total:,} vectors, {how}:", flush=True)
    runs = [Running(name, vectors, jobs) for name in BACKENDS]
    progress = Progress(sys.stderr, total * len(BACKENDS))
    try:
        while any(item.process.poll() is None for item in runs):
            time.sleep(_LOOK)
            for item in runs:
                item.count(progress)
    except KeyboardInterrupt:  # each run was interrupted too, and says what it kept
        return 128 + signal.SIGINT
    finally:
        progress.clear()
        for item in runs:
            item.end()
    for item in runs:
        item.tell()
    return max(item.process.returncode for item in runs)


def everything() -> Path:
    """The folder of all vectors: what `make vectors` wrote, or only today's manifests."""
    with contextlib.suppress(OSError):
        written, listed = (path / "manifest.json" for path in (WRITTEN, LISTED))
        if written.read_bytes() == listed.read_bytes():
            return WRITTEN
    return LISTED


@dataclass
class Running:
    """One backend's run, and how far it is."""

    backend: str
    vectors: Path
    jobs: int
    process: subprocess.Popen[bytes] = field(init=False)
    _offset: int = 0

    def __post_init__(self) -> None:
        """Start it; what it prints goes to files."""
        self.results = BUILD / f"{self.backend}.jsonl"
        self.printed = BUILD / f"{self.backend}.txt"
        self.said = BUILD / f"{self.backend}.err"
        self.results.unlink(missing_ok=True)
        with self.printed.open("wb") as printed, self.said.open("wb") as said:
            self.process = subprocess.Popen(
                [
                    *(program(), "run", "--backend", self.backend, "--jobs", str(self.jobs)),
                    *("--vectors", str(self.vectors), "--results", str(self.results)),
                    *("--baseline", f"baselines/{self.backend}.yaml"),
                    *("--timeout", str(_TIMEOUT)),
                ],
                stdout=printed,
                stderr=said,
            )

    def count(self, progress: Progress) -> None:
        """Count the verdicts that came since."""
        try:
            with self.results.open("rb") as stream:
                stream.seek(self._offset)
                for line in stream:
                    if not line.endswith(b"\n"):
                        return
                    self._offset += len(line)
                    if line.startswith(_ROW):
                        row = json.loads(line)
                        progress.add(passed=row["verdict"] == "pass", operator=row["operator"])
        except FileNotFoundError:
            return

    def end(self) -> None:
        """Wait for its end; one that is still running is asked to end first."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()

    def tell(self) -> None:
        """Print what it said if it is not as its baseline says."""
        if self.process.returncode:
            print(self.printed.read_text("utf-8") + self.said.read_text("utf-8"))


def show() -> int:
    """Print what the runs found, and write the pages."""
    results = [str(BUILD / f"{name}.jsonl") for name in BACKENDS]
    site = BUILD / "site"
    codes = [
        subprocess.run(
            [
                *(sys.executable, "-m", "tools.second_sources"),
                *(str(BUILD / f"{name}.jsonl") for name in ("reference", "onnxruntime")),
            ],
            check=False,
        ).returncode,
        onnx_validate("report", *results, "--limit", "0"),
        onnx_validate(
            *("site", *results, "--vectors", str(everything()), "--output", str(site)),
            quiet=True,
        ),
    ]
    print()
    for name in BACKENDS:
        for line in (BUILD / f"{name}.txt").read_text("utf-8").splitlines():
            if line.startswith("gate"):
                print(f"{name}: {line} (baselines/{name}.yaml)")
    print(f"results: {' '.join(results)}")
    print(f"pages:   {site / 'index.html'}")
    return max(codes)


def onnx_validate(*words: str, quiet: bool = False) -> int:
    """Run the command; its exit code."""
    stdout = subprocess.DEVNULL if quiet else None
    return subprocess.run([program(), *words], check=False, stdout=stdout).returncode


def program() -> str:
    """The command of this environment."""
    return str(Path(sys.executable).parent / "onnx-validate")


if __name__ == "__main__":
    sys.exit(main())
