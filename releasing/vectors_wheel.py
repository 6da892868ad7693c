"""The wheel of the vectors: the archives of a release and their manifest, and no code.

Where it is installed beside onnx-conformance, no vector is ever made: docs/gate.md.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from onnx_conformance.core.documents import parse_json
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.shipping.delivered import MODULE, PACKAGE

from .wheels import built_from

# What a package index takes of one file is more; people's patience is not.
LARGEST = 30_000_000
_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{package}"
version = "{version}"
description = "The vectors of onnx-conformance {version}, which it then need not make"
requires-python = ">=3.10"
license = "Apache-2.0"
license-files = ["LICENSE"]

[tool.setuptools]
packages = ["{module}"]

[tool.setuptools.package-data]
"{module}" = ["*.json", "*.tar.gz"]
"""


def build_vectors_wheel(archives: Path, folder: Path, licence: Path, epoch: int) -> Path:
    """Build the wheel, with the setuptools of this environment.

    Args:
        archives: a folder that `onnx-vectors generate --archive` wrote.
        folder: where the wheel goes.
        licence: the file with the licence.
        epoch: the date of its entries, in seconds since 1970.

    Raises BadInputError if it cannot be built, or if it would be larger than people want.
    """
    path = archives / "manifest.json"
    if not path.is_file():
        raise BadInputError(f"{path}: is missing: `onnx-vectors generate --archive` writes it last")
    version = str(parse_json(path.read_bytes(), path)["corpus"])
    with tempfile.TemporaryDirectory() as temporary:
        project, built = Path(temporary) / "project", Path(temporary) / "wheel"
        package = project / MODULE
        package.mkdir(parents=True)
        text = _PROJECT.format(package=PACKAGE, module=MODULE, version=version)
        (project / "pyproject.toml").write_text(text, "utf-8")
        (package / "__init__.py").write_text(f'"""The vectors of corpus {version}."""\n', "utf-8")
        shutil.copy(licence, project / "LICENSE")
        for item in (path, *archives.glob("*.tar.gz")):
            shutil.copy(item, package)
        target = built_from(project, built, folder, epoch)
    size = target.stat().st_size
    if size > LARGEST:
        raise BadInputError(f"{target}: has {size:,} bytes; {LARGEST:,} are the most that it may")
    return target
