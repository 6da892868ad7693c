"""What a vector costs to generate, beside an older commit, both in one run.

    python benchmarks/generate.py [--rounds N] [--against COMMIT]

Generates, each as a process of its own and in turn, the standard corpus of the same operators
(Shape, Size, Reshape) with the code and specs of the commit and with those here, and divides the
processor time by the number of vectors: another load on the machine changes it less than the wall
time. The best of the rounds counts.

Each generation of one operator of the three is subtracted from that of all, and the rest divided by
the rest of the vectors: that is what a vector costs without starting Python, importing onnx and
NumPy and reading what all specs share. The bound is for this figure, because the standard corpus
pays for one start in tens of thousands of vectors. The figure of the whole process is printed
beside it; it favours the commit, whose corpus of these three operators has three times as many
vectors to share one start.

Prints also what a listing costs that nothing was edited before. Exit code 1 where a vector costs
more than 0.4 of what it cost there, or a listing takes a second.

Written in memory where the system has a folder for that: what a disk's journal costs is no work of
ours, and on one machine made 0.93 ms of 0.52.

The commit is unpacked into a temporary folder; it needs git, and what this checkout has installed.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPERATORS = ("shape", "size", "reshape")
FEWER = ("size",)
SHARED = ("corpus", "types")  # files of specs/ that every spec refers to
AGAINST = "dce838ee"
BOUND = 0.4
LISTING = 1.0  # seconds
CALL = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Tree:
    """A checkout.

    Attributes:
        name: in the output.
        root: of the checkout.
        arguments: what makes its `generate` work in one process.
    """

    name: str
    root: Path
    arguments: tuple[str, ...]

    def run(self, temporary: Path, specs: Path, *arguments: str) -> float:
        """Processor time of one call in seconds."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONPYCACHEPREFIX": str(temporary / "compiled"),
            "ONNX_CONFORMANCE_CACHE": str(temporary / "cache"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", CALL, *arguments, "--specs", str(specs)],
            check=True,
            capture_output=True,
            cwd=self.root,
            env=environment,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@dataclass(frozen=True)
class Cost:
    """Processor time of one generation from nothing."""

    #: Of the whole process, in seconds.
    seconds: float
    #: Vectors that were written.
    count: int

    @property
    def each(self) -> float:
        """Seconds a vector, start-up included."""
        return self.seconds / self.count

    def beyond(self, fewer: Cost) -> float:
        """Seconds for each vector that a smaller generation does not have: without start-up."""
        return (self.seconds - fewer.seconds) / (self.count - fewer.count)


def main() -> int:
    """Measure in turn and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", default=AGAINST, metavar="COMMIT")
    arguments = parser.parse_args()
    memory = Path("/dev/shm")  # noqa: S108  a folder of our own is made in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        temporary = Path(folder)
        trees = (older(arguments.against, temporary), here())
        best: dict[tuple[str, tuple[str, ...]], Cost] = {}
        for tree in trees:
            tree.run(temporary, tree.root / "specs", "list", "--help")  # compiles, and runs at all
        for _ in range(arguments.rounds):
            for tree in trees:
                for operators in (OPERATORS, FEWER):
                    cost = generated(tree, operators, temporary)
                    known = best.setdefault((tree.name, operators), cost)
                    best[tree.name, operators] = min(cost, known, key=lambda item: item.seconds)
        specs = specs_of(trees[1], OPERATORS, temporary)
        listing = min(trees[1].run(temporary, specs, "list") for _ in range(arguments.rounds))
    beyond = []
    for tree in trees:
        every, fewer = best[tree.name, OPERATORS], best[tree.name, FEWER]
        beyond.append(every.beyond(fewer))
        print(
            f"{tree.name:10} {every.count:6,} vectors  {every.each * 1000:6.3f} ms each,"
            f" {beyond[-1] * 1000:6.3f} ms without start-up"
        )
    old, new = (best[tree.name, OPERATORS].each for tree in trees)
    print(f"ratio      {new / old:6.2f} of the whole process")
    print(f"ratio      {beyond[1] / beyond[0]:6.2f} without start-up  (bound {BOUND})")
    print(f"listing    {listing:6.2f} s  (bound {LISTING:.0f})")
    return 0 if beyond[1] / beyond[0] <= BOUND and listing <= LISTING else 1


def older(commit: str, temporary: Path) -> Tree:
    """The commit, unpacked; CalledProcessError where git does not know it."""
    root = temporary / "older"
    root.mkdir()
    git = shutil.which("git") or "git"
    packed = subprocess.run(
        [git, "archive", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(root)  # noqa: S202  our own history
    return Tree(commit, root, ())


def here() -> Tree:
    """This checkout."""
    return Tree("here", ROOT, ("--jobs", "1"))


def specs_of(tree: Tree, operators: tuple[str, ...], temporary: Path) -> Path:
    """A folder with the tree's specs of these operators alone."""
    specs = temporary / "specs"
    shutil.rmtree(specs, ignore_errors=True)
    specs.mkdir()
    for path in (tree.root / "specs").glob("*"):
        if path.is_file() and (path.suffix != ".yaml" or path.stem in (*operators, *SHARED)):
            shutil.copy(path, specs)
    return specs


def generated(tree: Tree, operators: tuple[str, ...], temporary: Path) -> Cost:
    """The cost of these operators' vectors, from nothing."""
    output = temporary / "vectors"
    shutil.rmtree(output, ignore_errors=True)
    specs = specs_of(tree, operators, temporary)
    seconds = tree.run(temporary, specs, "generate", "--output", str(output), *tree.arguments)
    count = sum(1 for _ in output.glob("*/*/*/model.onnx"))
    if not count:
        raise RuntimeError(f"{tree.name} wrote no vector")
    return Cost(seconds, count)


if __name__ == "__main__":
    sys.exit(main())
