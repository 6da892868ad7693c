"""ONNX's own node tests against the oracles: each passes, or a ruling says why not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.generators.oracle.index import module_of

if TYPE_CHECKING:
    from pathlib import Path

RULINGS = ROOT / "baselines" / "oracle-upstream.yaml"

# Exact numbers of 98,304 windows take minutes; the same operator has seven smaller cases.
TOO_LONG = {
    "lppool-22/test_lppool_3d_default/node",
    # The same sums for means; the operator has 19 smaller cases of three dimensions and two.
    "averagepool-22/test_averagepool_3d_default/node",
    # Up to 6,480 rows of scores, each in intervals; the operator has 58 smaller cases.
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3_none_no_weight_negative_ii/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3_none_no_weight_negative_ii_log_prob/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_mean_weight/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_mean_weight_expanded/expanded",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_mean_weight_log_prob/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_mean_weight_log_prob_expanded/expanded",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_none_no_weight/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_none_no_weight_expanded/expanded",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_none_no_weight_log_prob/node",
    "softmaxcrossentropyloss-13/test_sce_ncd1d2d3d4d5_none_no_weight_log_prob_expanded/expanded",
}


@pytest.mark.slow
def test_onnx_s_own_cases_agree_with_the_oracles_or_are_ruled_on(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "onnx_conformance.generators.main", "import", "onnx"]
    subprocess.run([*program, "--output", str(tmp_path)], check=True, capture_output=True)
    with_oracle = {
        (f"{domain}.{operator}" if domain else operator).lower() for domain, operator in module_of()
    }
    # Cases with one node: the expanded ones need the oracles of other operators.
    ids = [
        name
        for name in open_corpus(tmp_path).entries
        if name.endswith("/node") and name.partition("/")[0].rpartition("-")[0] in with_oracle
    ]
    assert len(ids) > 200
    ids = [name for name in ids if name not in TOO_LONG]
    run = [sys.executable, "-m", "onnx_conformance.validator.main", "run", "--backend", "oracle"]
    options = ["--vectors", str(tmp_path), "--baseline", str(RULINGS), "--jobs", "2"]
    # The oracles are exact, not fast.
    options += ["--timeout", "120"]
    done = subprocess.run([*run, *options, *ids], check=False, capture_output=True, text=True)
    assert 0 == done.returncode, done.stdout[-4000:] + done.stderr
