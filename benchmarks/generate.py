"""What each operator's vectors cost to generate, beside an older commit.

    python benchmarks/generate.py [--against COMMIT] [NAME ...]

Prints the processor time and the memory of each operator's vectors, slowest first: an operator is
made there, then here, each time by a new fork of a process that has read nothing but code, so that
neither start-up nor another operator is in its figures. NAME is the name of a spec's file (default:
all). Exit code 1 where one takes more than 300 MB, or all operators together more than a third of
the time there.

The commit is unpacked into a temporary folder; it needs git, and what this checkout has installed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NO_SPECS = ("corpus", "types", "rulings")
AGAINST = "b6d69033b"  # where generation was measured before it was made faster
SHARE = 1 / 3
MEMORY = 300  # MB

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


def main() -> int:
    """Print a line for each operator, slowest here first, and the sums."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--against", metavar="COMMIT", default=AGAINST)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    found: dict[str, list[tuple[int, float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        roots = (unpacked(arguments.against, Path(folder) / "older"), ROOT)
        makers = [maker_of(root) for root in roots]
        for name in arguments.names or stems():
            found[name] = [made_by(maker, name) for maker in makers]
    rows = sorted(found.items(), key=lambda item: -item[1][1][1])
    print(f"{'':34} {'vectors':>8} {arguments.against[:9]:>14} {'':>9} {'here':>7} {'':>9}  share")
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
    slow = not arguments.names and now > SHARE * before
    return 1 if slow or memory > MEMORY else 0


def stems() -> list[str]:
    """The names of the spec files here."""
    folders = (ROOT / "specs", ROOT / "specs" / "models")
    paths = (path for folder in folders for path in sorted(folder.glob("*.yaml")))
    return [path.stem for path in paths if path.stem not in NO_SPECS]


def made_by(maker: subprocess.Popen[str], name: str) -> tuple[int, float, float]:
    """Vectors, seconds and MB of one operator; RuntimeError if it was not made."""
    assert maker.stdin is not None  # noqa: S101  it was started with both
    assert maker.stdout is not None  # noqa: S101
    print(name, file=maker.stdin, flush=True)
    answer = json.loads(maker.stdout.readline() or "null")
    if answer is None:
        raise RuntimeError(f"{maker.args} did not make {name}")
    count, seconds, memory = answer
    return count, seconds, memory


def maker_of(root: Path) -> subprocess.Popen[str]:
    """A process that makes the operators that it is told with the code and specs of a checkout."""
    return subprocess.Popen(
        [sys.executable, "-c", EACH],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def unpacked(commit: str, root: Path) -> Path:
    """A new folder with the files of a commit; CalledProcessError where git does not know it."""
    root.mkdir()
    git = shutil.which("git") or "git"
    packed = subprocess.run(
        [git, "archive", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(root)  # noqa: S202  our own history
    return root


if __name__ == "__main__":
    sys.exit(main())
