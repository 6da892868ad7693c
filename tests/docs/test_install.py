"""What the pages say of installing is possible today: nothing is on an index or under a tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import yaml
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# `pip install` of our own name, and an action under a tag: to be taken out here when they exist.
UNPUBLISHED = re.compile(r"pip install (-\S+ )*onnx-conformance\b|uses: \S+/onnx-conformance@")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_page_installs_what_is_not_published(page: Path) -> None:
    assert [] == UNPUBLISHED.findall(page.read_text(encoding="utf-8"))


def test_the_wheel_has_the_name_that_the_page_says() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    name = f"onnx_conformance-{version[1]}-py3-none-any.whl"
    assert name in (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")


def test_the_recipes_use_inputs_that_the_action_has() -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    steps = [
        step
        for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        for job in (yaml.safe_load(block).get("jobs") or {}).values()
        for step in job["steps"]
        if step.get("uses") == "./conformance"
    ]
    assert 3 == len(steps)
    for step in steps:
        assert set(step["with"]) <= set(inputs)
