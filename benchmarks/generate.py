"""What a vector costs to generate, beside an older commit, both in one run.

    python benchmarks/generate.py [--rounds N] [--against COMMIT]
    python benchmarks/generate.py --by-operator [--against COMMIT] [NAME ...]

With `--by-operator`, the processor time and the memory of each operator's vectors, slowest first:
an operator is made there, then here, each time by a new fork of a process that has read nothing but
code, so that neither start-up nor another operator is in its figures. NAME is the name of a spec's
file (default: all). Exit code 1 where all together take more than a third of the time there, or one
takes more than 300 MB.

Otherwise it generates, each as a process of its own and in turn, the standard corpus of the same
operators (Shape, Size, Reshape) with the code and specs of the commit and with those here, and
divides the processor time by the number of vectors: another load on the machine changes it less
than the wall time. The best of the rounds counts.

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
import json
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
NO_SPECS = ("corpus", "types", "rulings")
SHARED = ("corpus", "types")  # files of specs/ that every spec refers to
AGAINST = "dce838ee"
BOUND = 0.4
LISTING = 1.0  # seconds
OLDEST_TO_COMPARE = "b6d69033b"  # where generation was measured before it was made faster
SHARE = 1 / 3
MEMORY = 300  # MB
CALL = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"


# Reads the names of spec files, and answers each with vectors, seconds and MB.
EACH = """
import json, os, resource, sys
from pathlib import Path
from onnx_conformance.generators.corpus.parallel import make_operator
import numpy, onnx, onnx_conformance.generators.families, onnx_conformance.generators.forms
for line in sys.stdin:
    reading, writing = os.pipe()
    if not os.fork():
        made = make_operator(Path("specs"), line.strip(), "standard")
        used = resource.getrusage(resource.RUSAGE_SELF)
        found = [len(made.vectors), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
        os.write(writing, json.dumps(found).encode() + b"\\n")
        os._exit(0)
    os.close(writing)
    with open(reading) as stream:
        print(stream.readline() or "null", end="", flush=True)
    os.wait()
"""


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
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", CALL, *arguments, "--specs", str(specs)],
            check=True,
            capture_output=True,
            cwd=self.root,
            env=self._environment(temporary),
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def maker(self, temporary: Path) -> subprocess.Popen[str]:
        """A process that makes the operators that it is told."""
        return subprocess.Popen(
            [sys.executable, "-c", EACH],
            cwd=self.root,
            env=self._environment(temporary),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _environment(self, temporary: Path) -> dict[str, str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONPYCACHEPREFIX": str(temporary / "compiled" / self.name),
            "ONNX_CONFORMANCE_CACHE": str(temporary / "cache"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment


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
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--by-operator", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    if arguments.by_operator:
        return by_operator(arguments.against or OLDEST_TO_COMPARE, arguments.names)
    if arguments.names:
        parser.error("names are for --by-operator")
    return all_of_three(arguments.against or AGAINST, arguments.rounds)


def by_operator(against: str, names: list[str]) -> int:
    """Print a line for each operator, slowest here first, and the sums."""
    found: dict[str, list[tuple[int, float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        trees = (older(against, Path(folder)), here())
        makers = [tree.maker(Path(folder)) for tree in trees]
        for name in names or stems():
            for tree, maker in zip(trees, makers, strict=True):
                found.setdefault(name, []).append(made_by(maker, name, tree))
    rows = sorted(found.items(), key=lambda item: -item[1][1][1])
    print(f"{'':34} {'vectors':>8} {against[:9]:>14} {'':>9} {'here':>7} {'':>9}  share")
    for name, ((_, before, most), (count, now, memory)) in rows:
        print(
            f"{name:34} {count:8,} {before:12.2f} s {most:6.0f} MB {now:5.2f} s {memory:6.0f} MB"
            f"  {now / before:5.2f}"
        )
    before, now = (sum(pair[way][1] for pair in found.values()) for way in (0, 1))
    count = sum(pair[1][0] for pair in found.values())
    most, memory = (max(pair[way][2] for pair in found.values()) for way in (0, 1))
    print(
        f"{'all':34} {count:8,} {before:12.2f} s {most:6.0f} MB {now:5.2f} s {memory:6.0f} MB"
        f"  {now / before:5.2f}  (bounds {SHARE:.2f} and {MEMORY} MB)"
    )
    return 0 if now <= SHARE * before and memory <= MEMORY else 1


def stems() -> list[str]:
    """The names of the spec files here."""
    folders = (ROOT / "specs", ROOT / "specs" / "models")
    paths = (path for folder in folders for path in sorted(folder.glob("*.yaml")))
    return [path.stem for path in paths if path.stem not in NO_SPECS]


def made_by(maker: subprocess.Popen[str], name: str, tree: Tree) -> tuple[int, float, float]:
    """Vectors, seconds and MB of one operator; RuntimeError if it was not made."""
    assert maker.stdin is not None  # noqa: S101  it was started with both
    assert maker.stdout is not None  # noqa: S101
    print(name, file=maker.stdin, flush=True)
    answer = json.loads(maker.stdout.readline() or "null")
    if answer is None:
        raise RuntimeError(f"{tree.name} did not make {name}")
    count, seconds, memory = answer
    return count, seconds, memory


def all_of_three(against: str, rounds: int) -> int:
    """Measure the three operators in turn, and print a line for each checkout."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of our own is made in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        temporary = Path(folder)
        trees = (older(against, temporary), here())
        best: dict[tuple[str, tuple[str, ...]], Cost] = {}
        for tree in trees:
            tree.run(temporary, tree.root / "specs", "list", "--help")  # compiles, and runs at all
        for _ in range(rounds):
            for tree in trees:
                for operators in (OPERATORS, FEWER):
                    cost = generated(tree, operators, temporary)
                    known = best.setdefault((tree.name, operators), cost)
                    best[tree.name, operators] = min(cost, known, key=lambda item: item.seconds)
        specs = specs_of(trees[1], OPERATORS, temporary)
        listing = min(trees[1].run(temporary, specs, "list") for _ in range(rounds))
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
