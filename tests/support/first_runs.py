"""Runs of an installed package whose cache is empty, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from misbehaviour import harness
from planned_files import expected_files
from sample_specs import write_specs

from onnx_conformance.generators.corpus.making import plan_corpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSIONS = {"reshape-1", "reshape-5", "reshape-14"}
PROGRAM = """
import sys
from importlib import metadata
from pathlib import Path
from onnx_conformance.core.commandline import dispatch
from onnx_conformance.generators.corpus.shipping.installed import installed_corpus
from onnx_conformance.validator.main import COMMANDS
package = Path(sys.argv.pop(1))
real = metadata.entry_points
class Ours:
    def load(self):
        return lambda messages: installed_corpus(messages, package)
metadata.entry_points = lambda **asked: (
    [Ours()] if asked.get("group") == "onnx_conformance.corpus" else real(**asked)
)
sys.exit(dispatch("onnx-validate", "", COMMANDS, sys.argv[1:]))
"""


def write_package(folder: Path) -> Path:
    """What a wheel would carry for a small operator of three versions."""
    for place, files in expected_files(plan_corpus(write_specs(folder / "specs"))):
        if not place:
            for name, content in files.items():
                path = folder / "published" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    return folder


def until(what: Callable[[], bool]) -> None:
    """Wait for something that comes; the test is ended from outside if it does not."""
    while not what():
        time.sleep(0.01)


class Installation:
    """Runs of an installed package with a cache of its own, in an empty folder."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.package = package
        self.cache = folder / "cache"
        self.home = folder / "home"
        self.home.mkdir()
        self.results = folder / "results.jsonl"

    def start(self, *words: str, backend: str = "rejects_all") -> subprocess.Popen[str]:
        command = "command:" + " ".join(harness(backend))
        asked = ["run", "--backend", command, "--results", str(self.results), *words]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.package), *asked],
            cwd=self.home,
            env={**os.environ, "ONNX_CONFORMANCE_CACHE": str(self.cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, backend: str = "rejects_all") -> tuple[int, str]:
        process = self.start(*words, backend=backend)
        _, said = process.communicate()
        return process.returncode, said

    def rows(self) -> dict[str, str]:
        with self.results.open() as stream:
            records = [json.loads(line) for line in stream]
        return {item["id"]: item["verdict"] for item in records if item["record"] == "row"}

    def whole(self) -> set[str]:
        """The operator versions in the cache; nothing else may be there."""
        names = [path.name for path in self.cache.iterdir()]
        assert [name for name in names if name.endswith(".tar.gz")] == names
        return {name.rpartition("-")[0] for name in names}
