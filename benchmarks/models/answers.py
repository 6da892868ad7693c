"""Asks `onnx-validate model` about every model in some folders, and prints a table of the answers.

    python benchmarks/models/answers.py --backend onnxruntime FOLDER …

`make.py` writes such a folder; the onnx package has another, `onnx/backend/test/data/light`. The
exit code is 1 where a model has no answer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnx_conformance.core.markdown import cell, table

HEADING = ("model", "nodes", "uses", "pass", "not", "nodes right in the whole", "wrong", "seconds")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--backend", default="onnxruntime", metavar="NAME")
    parser.add_argument("--python", metavar="PATH")
    arguments = parser.parse_args()
    options = ["--backend", arguments.backend]
    options += ["--python", arguments.python] if arguments.python else []
    lines, failed = [], 0
    for path in sorted(item for folder in arguments.folders for item in folder.glob("*.onnx")):
        began = time.perf_counter()
        found = answer(path, options)
        seconds = time.perf_counter() - began
        if found is None:
            failed += 1
        else:
            lines.append((*row(found), f"{seconds:.0f}"))
    if not lines:
        print("no model has an answer", file=sys.stderr)
        return 1
    print(table(HEADING, lines, numbers=True))
    return 1 if failed else 0


def answer(path: Path, options: list[str]) -> dict[str, Any] | None:
    """The JSON report on a model; None if there is none, which is printed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        program = "import sys; from onnx_conformance.validator.main import main; sys.exit(main())"
        words = ["model", str(path), "--json", str(report), *options]
        done = subprocess.run(
            [sys.executable, "-c", program, *words], check=False, capture_output=True, text=True
        )
        if not report.is_file():
            print(f"{path}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        found: dict[str, Any] = json.loads(report.read_bytes())
        return found


def row(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The cells of a model's line, but the last."""
    statuses = Counter(line["evidence"][0]["status"] for line in found["uses"] if line["evidence"])
    others = [f"{count} {name}" for name, count in statuses.items() if name != "pass"]
    chain = found["chain"]
    return (
        cell(found["model"]["file"].removesuffix(".onnx")),
        f"{found['model']['nodes']:,}",
        f"{len(found['uses'])}",
        f"{statuses['pass']}",
        ", ".join(others) or "0",
        f"{chain['passed']:,} of {chain['nodes']:,}",
        f"{len(chain['wrong'])}",
    )


if __name__ == "__main__":
    sys.exit(main())
