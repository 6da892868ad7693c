"""Whether ONNX's runner and ours agree, case by case, and the ulp differences by operator.

    python -m tools.upstream.agreement [--backend onnxruntime] [--backend reference]

Imports ONNX's node tests, runs them with both on each backend, and prints: the cases by kind of
value, a table of ONNX's outcome against our verdict, every reason for which they differ with its
cases, and the largest ulp difference of each operator. Ends with 1 where a case passes with ONNX's
runner and not with ours, or where they differ for a reason that is not known here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from onnx_conformance.core.text import listed

from .commands import IMPORT, RUNNER, VALIDATE, pytest_options, python

# Why a case fails with ONNX's runner and passes with ours, by what its runner says.
KNOWN_REASONS = {
    r"Unable to handle object of type <class 'numpy\.": (
        "ONNX's case holds a NumPy scalar, which its runner hands on as it is and onnxruntime's"
        " Python API does not take. On disk, and in the protocol, it is a tensor of rank 0"
    ),
    r"Numpy_type \d+ can't be converted to MLDataType": (
        "onnxruntime's Python API takes no ml_dtypes arrays (bfloat16, float8, 4- and 2-bit)."
        " Our harness hands the same bytes over as OrtValue"
    ),
    r"Unable to compare expected type": (
        "the expected sequence comes back as a list, which ONNX's runner compares as an array: it"
        " looks for len() of a 0-d array. The values are equal"
    ),
}


def main() -> int:
    """Run both, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--backend", action="append", choices=["onnxruntime", "reference"])
    arguments = parser.parse_args()
    agreed = True
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tests = root / "onnx-tests"
        command = python("-c", IMPORT, "import", "onnx", "--output", str(tests))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print_kinds(tests)
        for backend in arguments.backend or ["onnxruntime", "reference"]:
            rows = ours(backend, tests, root / f"{backend}.jsonl")
            theirs = onnx_outcomes(backend, root / f"{backend}.xml")
            print(f"\n## {backend}\n")
            agreed = print_agreement(rows, theirs) and agreed
            print_ulps(rows.values())
    return 0 if agreed else 1


def ours(backend: str, tests: Path, results: Path) -> dict[str, dict[str, Any]]:
    """Our row for each case, by ONNX's name."""
    options = ["run", "--backend", backend, "--vectors", str(tests), "--results", str(results)]
    subprocess.run(python("-c", VALIDATE, *options), check=False, capture_output=True)
    records = [json.loads(line) for line in results.read_text().splitlines()]
    return {item["case"]: item for item in records if item["record"] == "row"}


def onnx_outcomes(backend: str, report: Path) -> dict[str, tuple[bool, str]]:
    """Whether each case passed with ONNX's runner, and what it printed if not."""
    command = [
        *python("-m", "pytest"),
        *pytest_options(),
        "--tb=line",
        str(RUNNER),
        f"--junitxml={report}",
    ]
    environment = {**os.environ, "ONNX_CONFORMANCE_BACKEND": backend}
    ran = subprocess.run(command, check=False, capture_output=True, env=environment, text=True)
    if ran.returncode not in (0, 1):  # 1: some cases fail, which is what we are here for
        raise SystemExit(f"pytest ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    outcomes = {}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314  our own pytest wrote it
        name = str(case.get("name"))
        problems = [item for item in case if item.tag in ("failure", "error", "skipped")]
        if name.endswith("_cpu"):
            said = str(problems[0].get("message")) if problems else ""
            outcomes[name.removesuffix("_cpu")] = (not problems, said)
    return outcomes


def print_kinds(tests: Path) -> None:
    """How many cases there are by kind of value."""
    kinds: Counter[str] = Counter()
    for path in sorted(tests.glob("node/*/data.json")):
        document = json.loads(path.read_bytes())
        others = set(document.get("value_kinds", {}).values())
        kinds["all cases"] += 1
        kinds["expanded"] += document["expanded"]
        kinds["tensors only"] += not others
        for kind in others:
            kinds[f"with {kind}"] += 1
        kinds["several outputs"] += len(document["outputs"]) > 1
        kinds["no input"] += not document["inputs"]
    print("| cases | number |\n|---|---:|")
    for kind, number in kinds.items():
        print(f"| {kind} | {number} |")


def print_agreement(
    rows: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, tuple[bool, str]]
) -> bool:
    """The table of outcomes, and why they differ; False where a reason is not known."""
    counts = Counter(
        ("pass" if theirs[name][0] else "fail", row["verdict"]) for name, row in rows.items()
    )
    print("| ONNX's runner | ours | cases |\n|---|---|---:|")
    for (onnx_says, verdict), number in sorted(counts.items()):
        print(f"| {onnx_says} | {verdict} | {number} |")
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, row in sorted(rows.items()):
        passed, said = theirs[name]
        if passed != (row["verdict"] == "pass"):
            reasons[reason_of(said) if not passed else "unknown"].append(name)
    for reason, names in reasons.items():
        print(f"\n{len(names)} differ: {reason}. {shortened(names)}")
    print()
    return "unknown" not in reasons and rows.keys() == theirs.keys()


def reason_of(said: str) -> str:
    """The known reason for what ONNX's runner says."""
    for pattern, reason in KNOWN_REASONS.items():
        if re.search(pattern, said):
            return reason
    return "unknown"


def shortened(names: list[str]) -> str:
    """The first few names."""
    return listed([f"`{name}`" for name in names], 3)


def print_ulps(rows: Iterable[Mapping[str, Any]]) -> None:
    """The largest ulp difference of each operator among the vectors that pass."""
    print("| operator | vectors compared | not bit for bit | largest ulp | where |")
    print("|---|---:|---:|---:|---|")
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in rows:
        if row["verdict"] == "pass" and "max_ulp" in row["details"]:
            found[row["operator"]].append((row["details"]["max_ulp"], row["case"]))
    same = 0
    for operator, distances in sorted(found.items()):
        largest, case = max(distances)
        if largest == 0:
            same += 1
            continue
        differing = sum(distance > 0 for distance, _ in distances)
        print(f"| {operator} | {len(distances)} | {differing} | {largest} | `{case}` |")
    print(f"\n{same} further operators with floats are bit for bit as expected in all vectors.")


if __name__ == "__main__":
    sys.exit(main())
