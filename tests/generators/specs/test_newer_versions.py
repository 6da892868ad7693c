"""Old versions that no runtime has, run as newer ones: the second source of their vectors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from newer_versions import NEWER
from places import ROOT

from onnx_conformance.core.yaml.reading import read_yaml
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

HERE = "tests/generators/specs/test_newer_versions.py"
VERSIONS = sorted(f"{name.lower()}-{since}" for name, since in NEWER)
# What the newer version has not got, of all vectors: types without a kernel, training, powers that
# are no whole numbers, and sizes of 0.
LEAST_SHARE = 0.7
# onnxruntime's maximum begins at the least finite number, and again behind a NaN:
# docs/findings/maxroipool.md.
KNOWN = {"maxroipool-22/all_infinite/float32", "maxroipool-22/nan_behind_the_greatest/float32"}


@pytest.mark.slow
def test_newer_versions_give_what_the_oracles_give_for_old_ones(tmp_path: Path) -> None:
    # Each in one type; the type of Cast is a part of the case.
    plain = [f"{version}/*/float32" for version in VERSIONS if version != "cast-1"]
    path = os.pathsep.join(
        [str(ROOT / "tests" / "support"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    vectors, found = tmp_path / "vectors", tmp_path / "found.jsonl"
    for module, *words in (
        ("generators.main", "generate", "--jobs", "1", "--output", vectors, "cast-1/*", *plain),
        (
            *("validator.main", "run", "--backend", "python:newer_versions", "--jobs", "1"),
            *("--vectors", vectors, "--results", found, "--kind", "valid", "--kind", "latitude"),
        ),
    ):
        done = subprocess.run(
            [sys.executable, "-m", f"onnx_conformance.{module}", *map(str, words)],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode in {0, 1}, done.stderr
    rows = read_results(found).rows
    wrong = {row.id for row in rows if row.verdict not in {Verdict.PASS, Verdict.REJECTED}}
    assert KNOWN >= wrong
    passed = defaultdict(list)
    for row in rows:
        passed[row.id.partition("/")[0]].append(row.passed)
    shares = {version: sum(each) / len(each) for version, each in passed.items()}
    assert VERSIONS == sorted(shares)
    assert {} == {version: share for version, share in shares.items() if share < LEAST_SHARE}


def test_each_version_that_is_rewritten_says_so_in_its_spec() -> None:
    said = []
    for path in (ROOT / "specs").glob("*.yaml"):
        keys = read_yaml(path).mapping()
        for item in keys["second_sources"].sequence() if "second_sources" in keys else ():
            source = item.mapping()
            if source["held_by"].string() == HERE:
                numbers = [node.integer() for node in source["versions"].sequence()]
                said += [f"{path.stem}-{number}" for number in numbers]
    assert VERSIONS == sorted(said)
