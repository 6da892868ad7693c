"""The versions that `make` installs are those that the committed verdicts are of."""

import json
import re

import pytest
import yaml
from places import ROOT


def pinned() -> dict[str, str]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+);", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("baseline", "package"),
    [("onnxruntime", "onnxruntime"), ("reference", "onnx"), ("checker", "onnx")],
)
def test_a_baseline_is_of_the_version_that_is_installed(baseline: str, package: str) -> None:
    made_with = yaml.safe_load((ROOT / "baselines" / f"{baseline}.yaml").read_text())["runtime"]
    assert pinned()[package] == made_with["version"]


def test_the_snapshot_of_schemas_is_of_the_onnx_that_is_installed() -> None:
    snapshot = json.loads((ROOT / "specs" / "schemas.json").read_text(encoding="utf-8"))
    assert pinned()["onnx"] == snapshot["onnx"]


def test_what_is_pinned_is_asked_for() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = set(re.findall(r'"([\w-]+)[">]', project))
    # What onnx, distributed and import-linter bring along, and decide with; what else a bill of
    # materials names.
    brought_along = {"dask", "grimp", "protobuf", "markupsafe", "typing_extensions"}
    assert pinned().keys() - names == brought_along
