"""How long `onnx-vectors` takes: to generate the corpus from nothing and anew, to check, to begin.

    python benchmarks/generate.py [--rounds N]

Each is timed as a whole process; the best of the rounds counts. The processor time of the process
is given as well: another load on the machine does not change it. The bound that the corpus keeps is
10 s for a generation from nothing on two cores.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).with_name("onnx-vectors")
BOUND = 10.0


def main() -> int:
    """Measure and print one line for each; 1 where a generation takes longer than the bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, seconds in one_round().items():
            best[name] = min(seconds, best.get(name, seconds))
    print(f"best of {rounds} rounds")
    for name, (wall, processor) in best.items():
        print(f"{name:24} {wall:6.2f} s  processor {processor:6.2f} s")
    return 1 if best["generate from nothing"][0] > BOUND else 0


def one_round() -> dict[str, tuple[float, float]]:
    """Wall and processor time of each command."""
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "vectors")
        return {
            "generate from nothing": timed("generate", "--output", output),
            "generate, nothing to do": timed("generate", "--output", output),
            "check": timed("check", "--output", output),
            "list": timed("list"),
            "--help": timed("--help"),
        }


def timed(*arguments: str) -> tuple[float, float]:
    """Wall and processor time of one call; CalledProcessError where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run([COMMAND, *arguments], check=True, capture_output=True, cwd=ROOT)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor


if __name__ == "__main__":
    sys.exit(main())
