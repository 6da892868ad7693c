"""The bill of materials: which packages an installation of the wheel brings, in CycloneDX's form.

cyclonedx-py, CycloneDX's own tool, reads it from a new environment that holds the wheel's
dependencies in the versions of constraints.txt: those that this release was tested with.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import tomllib

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from .sources import Checkout


def write_sbom(sources: Checkout, target: Path) -> None:
    """Write the bill of materials of a checkout's package as JSON.

    Raises BadInputError if its dependencies cannot be installed or listed.
    """
    project = sources.root / "pyproject.toml"
    needed = tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]
    with tempfile.TemporaryDirectory() as temporary:
        venv.create(temporary, with_pip=False)
        inside = str(Path(temporary) / "bin" / "python")
        constraints = str(sources.root / "constraints.txt")
        _run(
            *("pip", "--python", inside, "install", "--quiet", "--disable-pip-version-check"),
            *("--constraint", constraints, *needed),
        )
        _run(
            *("cyclonedx_py", "environment", "--output-reproducible", "--pyproject", str(project)),
            *("--mc-type", "library", "--output-format", "JSON", "--output-file", str(target)),
            inside,
            SOURCE_DATE_EPOCH=str(sources.epoch),
        )


def _run(module: str, *words: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    if done.returncode:
        raise BadInputError(f"the bill of materials cannot be made:\n{done.stderr.strip()}")
