"""The workflows of GitHub: what they may do, and that nothing is published unasked."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from places import ROOT

FOLDER = ROOT / ".github" / "workflows"
NAMES = sorted(path.name for path in FOLDER.glob("*.yml"))


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / name).read_text())  # type: ignore[no-any-return]


def test_there_are_the_four() -> None:
    assert ["explore.yml", "nightly.yml", "release.yml", "test.yml"] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_actions_of_others_are_named_by_commit(name: str) -> None:
    used = re.findall(r"uses: (\S+)(.*)", (FOLDER / name).read_text())
    assert used
    for action, remark in used:
        if action != "./":
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark), action


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_may_read_and_only_who_publishes_or_opens_issues_may_do_more(name: str) -> None:
    read = workflow(name)
    assert {"contents": "read"} == read["permissions"]
    may = {job for job, content in read["jobs"].items() if "permissions" in content}
    writing = {"release.yml": {"github", "pypi"}, "explore.yml": {"explore"}}
    assert writing.get(name, set()) == may


@pytest.mark.parametrize(
    ("job", "variable"),
    [("github", "ONNX_CONFORMANCE_RELEASE"), ("pypi", "ONNX_CONFORMANCE_PYPI")],
)
def test_publishing_needs_a_tag_a_variable_and_two_equal_builds(job: str, variable: str) -> None:
    jobs = workflow("release.yml")["jobs"]
    assert f"github.ref_type == 'tag' && vars.{variable} == 'on'" == jobs[job]["if"]
    assert ("compare", "build") == (jobs[job]["needs"], jobs["compare"]["needs"])
    assert 2 == len(jobs["build"]["strategy"]["matrix"]["include"])
