"""A sample of the committed specs, planned once for all tests of a process; vectors on demand.

`onnx-vectors check` holds every spec; tests that look at each vector take a few operators.
"""

from __future__ import annotations

import fcntl
import json
import os
from functools import cache
from typing import TYPE_CHECKING

from places import ROOT
from planned_files import write_corpus

from onnx_conformance.core.corpus.manifests import read_version_manifests
from onnx_conformance.generators.corpus.building import build
from onnx_conformance.generators.corpus.making import plan_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.building import Built
    from onnx_conformance.generators.corpus.making import CorpusPlan
    from onnx_conformance.generators.planning.plans import Plan
    from onnx_conformance.generators.situations.situations import Situation
    from onnx_conformance.generators.specs.model import Spec

SPECS = ROOT / "specs"
VECTORS = ROOT / "vectors"
# The operators that are written out by hand, and some of whose cases families make: elements of one
# input and of two, results with limits, and what the document leaves open.
SAMPLE = ("reshape", "shape", "size", "add", "exp", "sign")


@cache
def committed() -> CorpusPlan:
    """The plan of the sample."""
    return plan_corpus(SPECS, operators=SAMPLE)


@cache
def plans_by_id() -> dict[str, Plan]:
    """Every plan by the id of its vector."""
    return {plan.id: plan for plan in committed().plans}


@cache
def sample_folder() -> Path:
    """Every vector of the sample on disk, brought up to date once in a run of the tests."""
    parent = ROOT / "build/tests"
    parent.mkdir(parents=True, exist_ok=True)
    folder, marker = parent / "vectors", parent / "run"
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    with (parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the processes of a run share the folder
        if not marker.is_file() or run != marker.read_text("utf-8"):
            write_corpus(committed(), folder)
            marker.write_text(run, "utf-8")
    return folder


@cache
def published_kinds() -> dict[str, str]:
    """The kind of each vector of the standard corpus, by its id."""
    root = VECTORS / "standard"
    manifest = json.loads((root / "manifest.json").read_bytes())
    return {
        item.id: item.kind
        for version in read_version_manifests(root, manifest)
        for item in version.vectors
    }


def spec_named(operator: str) -> Spec:
    """The spec of an operator."""
    (spec,) = [item for item in committed().specs if item.operator == operator]
    return spec


@cache
def built(vector_id: str) -> Built:
    """One vector, in memory."""
    return build(plans_by_id()[vector_id], committed().facts, committed().situations)


def situation(vector_id: str) -> Situation:
    """What the form of a vector presents."""
    return committed().situations.of(plans_by_id()[vector_id])
