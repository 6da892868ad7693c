"""Reading and planning what the lock lists: a function of spec, lock and signatures."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from committed_corpus import ROOT

# Each of them has families that try what the oracle accepts, where cases are proposed.
OPERATORS = {
    "clip": "elementwise.clipping",
    "concat": "movement.joining",
    "gather": "indexing.gathering",
    "reducesum": "rows.reductions",
}

SCRIPT = """
import json, sys
from pathlib import Path
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.planning.reading import read_specs

names = tuple(sys.argv[2:])
if sys.argv[1] == "planned":
    vectors = len(plan_corpus(Path("specs"), operators=names).plans)
else:
    vectors = sum(len(spec.cases) for spec in read_specs(Path("specs"), names)[1])
known = "onnx_conformance.generators.oracle.operators."
loaded = [name[len(known):] for name in sys.modules if name.startswith(known)]
print(json.dumps([vectors, loaded]))
"""


def loaded_by(how: str) -> tuple[int, set[str]]:
    """How many vectors or cases there are, and which modules of oracles that imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, how, *OPERATORS],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    count, loaded = json.loads(done.stdout)
    return count, set(loaded)


def test_planning_what_the_lock_lists_asks_no_oracle() -> None:
    count, loaded = loaded_by("planned")
    assert count > 500
    assert not loaded & set(OPERATORS.values())


@pytest.mark.slow
def test_reading_asks_oracles_where_cases_are_proposed() -> None:
    _, loaded = loaded_by("proposed")
    assert loaded & set(OPERATORS.values())
