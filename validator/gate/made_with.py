"""Which version of a runtime a baseline was made with, and whether results are of that one.

A baseline is about one version: with the next one, some listed vectors pass and others fail. A
person who reads the gate must then learn first that the version differs: CI is not broken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, printable_line

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node

    from ..results.records import HarnessFacts

KEY = "runtime"
_LONGEST = 80


@dataclass(frozen=True)
class Runtime:
    """A runtime and its version, as its harness describes itself.

    Attributes:
        name, version: in a baseline, `version` may be the beginning: `1.32` stands for `1.32.1`.
        file, line: place in the baseline.
    """

    name: str
    version: str
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        """Name and version, for sentences."""
        return f"{self.name} {self.version}"

    def takes(self, other: Runtime) -> bool:
        """Whether `other` is this runtime, in this version or one that this version stands for."""
        beginning = re.escape(self.version) + r"(?![A-Za-z0-9])"
        return self.name == other.name and re.match(beginning, other.version) is not None


def runtime_in(node: Node) -> Runtime:
    """The runtime that a baseline gives under `runtime`."""
    keys = node.mapping(required=("name", "version"), optional=())
    version = keys["version"]
    # 1.10 is a number in YAML; its text is the version.
    text = version.text if version.kind in ("integer", "float") else version.string()
    return Runtime(keys["name"].string(), text, node.file, node.line)


def runtime_of(describe: HarnessFacts) -> Runtime | None:
    """The runtime that results are about; None if its harness reports no version."""
    said = (str(describe.get(key) or "") for key in ("name", "version"))
    # The text is written into a file, and a harness may report anything.
    name, version = (one_line(printable_line(text), _LONGEST) for text in said)
    return Runtime(name, version) if name and version else None


@dataclass(frozen=True)
class OtherRuntime:
    """The two runtimes, if results and baseline are about different ones."""

    #: The runtime that the baseline was made with.
    listed: Runtime
    #: The runtime that was run.
    ran: Runtime
    #: Path of the baseline, as messages show it.
    baseline: str

    def words(self, outcome: str) -> str:
        """One sentence; `outcome` describes the verdicts."""
        return (
            f"baseline was made with {self.listed}, these results are of {self.ran}: {outcome};"
            f" renew it with `onnx-validate baseline update {self.baseline} RESULTS --accept-new`"
        )


def other_runtime(
    listed: Runtime | None, ran: Runtime | None, baseline: str | None
) -> OtherRuntime | None:
    """Both runtimes if both are known and they differ."""
    if listed is None or ran is None or listed.takes(ran):
        return None
    return OtherRuntime(listed, ran, baseline or listed.file)
