"""Runs the steps of a composite GitHub action here, as a runner would: expressions put in, bash
with the runner's flags, and the files that GITHUB_OUTPUT and GITHUB_STEP_SUMMARY name.

Steps that use another action are not run; `ActionRun.used` says with what they would have been.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass
class ActionRun:
    """A run of an action: `outcomes` and `log` by step name, in order."""

    action: Mapping[str, Any]
    folder: Path
    inputs: dict[str, str]
    action_path: Path
    outcomes: dict[str, str] = field(default_factory=dict)
    log: dict[str, str] = field(default_factory=dict)
    used: dict[str, Mapping[str, str]] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    _by_id: dict[str, str] = field(default_factory=dict)

    @property
    def temp(self) -> Path:
        return self.folder.parent / "runner_temp"

    @property
    def summary(self) -> str:
        path = self.temp / "summary"
        return path.read_text() if path.exists() else ""

    @property
    def failed(self) -> bool:
        return "failure" in self.outcomes.values()

    def run(self, *, skip: tuple[str, ...] = ()) -> ActionRun:
        """Run every step but those whose id is in `skip`, which count as successful."""
        self.temp.mkdir(exist_ok=True)
        for step in self.action["runs"]["steps"]:
            self._step(step, skipped=step.get("id") in skip)
        return self

    def _step(self, step: Mapping[str, Any], *, skipped: bool) -> None:
        name = step["name"]
        condition = step.get("if", "${{ success() }}")
        if not eval(self._python(_EXPRESSION.fullmatch(condition)[1]), {}):  # noqa: S307  ours
            self.outcomes[name] = "skipped"
        elif skipped:
            self.outcomes[name] = "success"
        elif "uses" in step:
            self.used[name] = {key: self._filled(value) for key, value in step["with"].items()}
            self.outcomes[name] = "success"
        else:
            self._bash(step)
        self._by_id[step.get("id", name)] = self.outcomes[name]

    def _bash(self, step: Mapping[str, Any]) -> None:
        name = step["name"]
        output = self.temp / "output"
        output.write_text("")
        script = self.temp / "script.sh"
        assert "${{" not in step["run"], "an expression in a script is open to injection"
        script.write_text(step["run"])
        done = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                **os.environ,
                "RUNNER_TEMP": str(self.temp),
                "RUNNER_OS": "Linux",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
                **{key: self._filled(value) for key, value in step.get("env", {}).items()},
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.log[name] = done.stdout
        self.outcomes[name] = "success" if done.returncode == 0 else "failure"
        self.outputs[step.get("id", name)] = dict(
            line.split("=", 1) for line in output.read_text().splitlines()
        )

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda match: self._value(match[1]), text)

    def _value(self, expression: str) -> str:
        parts = expression.split(".")
        if parts[0] == "inputs":
            default = self.action["inputs"][parts[1]].get("default", "")
            return self.inputs.get(parts[1], default)
        if expression == "github.action_path":
            return str(self.action_path)
        if parts[0] == "steps" and parts[2] == "outputs":
            return self.outputs.get(parts[1], {}).get(parts[3], "")
        if parts[0] == "steps" and parts[2] == "outcome":
            return self._by_id.get(parts[1], "skipped")
        raise AssertionError(f"unknown expression {expression}")

    def _python(self, condition: str) -> str:
        """An `if` condition as a Python expression; success() unless always() is in it."""
        parts = []
        for part in condition.split("&&"):
            word = part.strip()
            if word == "always()":
                continue
            if word == "success()":
                parts.append(str(not self.failed))
                continue
            left, operator, right = re.fullmatch(r"(\S+) (==|!=) ('[^']*')", word).groups()  # type: ignore[union-attr]
            parts.append(f"{self._value(left)!r} {operator} {right}")
        if "always()" not in condition and "success()" not in condition:
            parts.append(str(not self.failed))
        return " and ".join(parts) or "True"


def load_action(path: Path, folder: Path, **inputs: str) -> ActionRun:
    """An action ready to run in a folder; underscores in the names of inputs stand for dashes."""
    action = yaml.safe_load(path.read_text())
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    unknown = given.keys() - action["inputs"].keys()
    assert not unknown, f"the action has no input {unknown}"
    return ActionRun(action, folder, given, path.parent)


def leave_program(run: ActionRun) -> None:
    """Leave behind what the first step installs; that step itself is tested with the wheel."""
    programs = run.temp / "onnx-conformance" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / "onnx-validate"
    module = "from onnx_conformance.validator.main import main; sys.exit(main())"
    program.write_text(f"#!{sys.executable}\nimport sys; {module}\n")
    program.chmod(0o755)
