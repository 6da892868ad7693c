"""What a vector costs to generate, beside an older commit, both in one run.

    python benchmarks/generate.py [--rounds N] [--against COMMIT]

Generates, each as a process of its own and in turn, the standard corpus of the same operators
(Shape, Size, Reshape) with the code and specs of the commit and with those here, and divides the
processor time by the number of vectors: another load on the machine changes it less than the wall
time. The best of the rounds counts. Prints also what a listing costs that nothing was edited
before. Exit code 1 where a vector costs more than 0.4 of what it cost there, or a listing takes a
second.

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
AGAINST = "dce838ee"
BOUND = 0.4
LISTING = 1.0  # seconds
CALL = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Tree:
    """A checkout with its specs.

    Attributes:
        name: in the output.
        root: of the checkout.
        specs: the folder of the specs.
        arguments: what makes its `generate` work in one process.
    """

    name: str
    root: Path
    specs: Path
    arguments: tuple[str, ...]

    def run(self, temporary: Path, *arguments: str) -> tuple[float, str]:
        """Processor time of one call in seconds, and what it printed."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONPYCACHEPREFIX": str(temporary / "compiled"),
            "ONNX_CONFORMANCE_CACHE": str(temporary / "cache"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", CALL, *arguments, "--specs", str(self.specs)],
            check=True,
            capture_output=True,
            text=True,
            cwd=self.root,
            env=environment,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main() -> int:
    """Measure in turn and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", default=AGAINST, metavar="COMMIT")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder)
        trees = (older(arguments.against, temporary), here(temporary))
        best: dict[str, float] = {}
        for tree in trees:
            tree.run(temporary, "list")  # compiles, and says whether it runs at all
        for _ in range(arguments.rounds):
            for tree in trees:
                cost = a_vector(tree, temporary)
                best[tree.name] = min(cost, best.get(tree.name, cost))
        listing = min(trees[1].run(temporary, "list")[0] for _ in range(arguments.rounds))
    for name, cost in best.items():
        print(f"{name:10} {cost * 1000:6.3f} ms of processor time a vector")
    old, new = best.values()
    print(f"ratio      {new / old:6.2f}    (bound {BOUND})")
    print(f"listing    {listing:6.2f} s  (bound {LISTING:.0f})")
    return 0 if new / old <= BOUND and listing <= LISTING else 1


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
    return Tree(commit, root, root / "specs", ())


def here(temporary: Path) -> Tree:
    """This checkout, with the specs of the same operators alone."""
    specs = temporary / "specs"
    specs.mkdir()
    for name in (*(f"{item}.yaml" for item in OPERATORS), "corpus.yaml", "types.yaml"):
        shutil.copy(ROOT / "specs" / name, specs)
    shutil.copy(ROOT / "specs" / "schemas.json", specs)
    return Tree("here", ROOT, specs, ("--jobs", "1"))


def a_vector(tree: Tree, temporary: Path) -> float:
    """Processor time a vector, in seconds, of a generation from nothing."""
    output = temporary / "vectors"
    shutil.rmtree(output, ignore_errors=True)
    seconds, _ = tree.run(temporary, "generate", "--output", str(output), *tree.arguments)
    count = sum(1 for _ in output.glob("*/*/*/model.onnx"))
    if not count:
        raise RuntimeError(f"{tree.name} wrote no vector")
    return seconds / count


if __name__ == "__main__":
    sys.exit(main())
