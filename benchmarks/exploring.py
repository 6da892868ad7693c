"""What exploration takes and finds: calls a second, valid calls by operator, causes in ten minutes.

    python benchmarks/exploring.py --backend onnxruntime [--budget 10m] [--known RESULTS]

Runs `onnx-validate explore` and reads its results file. The figures are of this machine and of the
load on it: run it on an idle one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

# Below this share of valid calls an operator is listed.
_DUE = 0.9


def main() -> int:
    """Explore, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--backend", default="onnxruntime")
    parser.add_argument("--python", help="interpreter that has the runtime")
    parser.add_argument("--budget", default="10m")
    parser.add_argument("--seed", default="7f3a")
    parser.add_argument("--known", type=Path, help="results of the backend on the corpus")
    parser.add_argument("--graphs", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "explored.jsonl"
        began = time.monotonic()
        subprocess.run(_command(arguments, results), check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        found = json.loads(results.read_text().splitlines()[-1])["explored"]
    print("\n".join(figures(found, seconds)))
    return 0


def _command(arguments: argparse.Namespace, results: Path) -> list[str]:
    validate = [sys.executable, "-m", "onnx_conformance.validator.main"]
    words = ["explore", "--backend", arguments.backend, "--budget", arguments.budget]
    words += ["--seed", arguments.seed, "--vectors", "vectors/standard", "--results", str(results)]
    words += ["--python", arguments.python] if arguments.python else []
    words += ["--known", str(arguments.known)] if arguments.known else []
    words += ["--graphs"] if arguments.graphs else []
    return [*validate, *words]


def figures(found: dict[str, Any], seconds: float) -> list[str]:
    """The figures of an exploration, a line each.

    Args:
        found: `explored` in the footer of its results.
        seconds: how long all of it took.
    """
    verdicts: Counter[str] = Counter()
    shares = {}
    for name, tally in found["operators"].items():
        verdicts.update(tally["verdicts"])
        ran = sum(tally["verdicts"].values())
        invalid = tally["tries"] + tally["refused"].get("invalid", 0)
        if ran + invalid:
            shares[name] = ran / (ran + invalid)
    new = sum(1 for cause in found["causes"] if not cause["known"])
    ran = verdicts.total()
    poor = sorted((share, name) for name, share in shares.items() if share < _DUE)
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common())
    pace = f"{ran / seconds:,.1f} a second, making failures simpler included"
    causes = f"{len(found['causes'])} causes, {new} that the corpus does not show"
    least = ", ".join(f"{name} {share:.0%}" for share, name in poor[:12])
    return [
        f"{ran:,} calls in {seconds:,.0f} s: {pace}",
        counts,
        f"{causes}: {600 * new / seconds:,.1f} in ten minutes",
        f"{len(found['faults'])} faults of ours",
        f"{len(shares) - len(poor)} of {len(shares)} operators with {_DUE:.0%} valid calls or more",
        f"the least: {least or 'none'}",
    ]


if __name__ == "__main__":
    sys.exit(main())
