"""`onnx-vectors schemas`: the snapshot of ONNX's schemas, taken or compared."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from ..signatures.reading import Signatures


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; say where the snapshot and the installed onnx differ, exit 3 if so",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Write specs/schemas.json from the installed onnx, or compare it."""
    from onnx_conformance.core.files import write_whole

    from ..signatures.reading import FILE_NAME, Signatures
    from ..signatures.snapshot import installed_snapshot, rendered

    path: Path = arguments.specs / FILE_NAME
    snapshot = installed_snapshot()
    installed = Signatures(snapshot)
    if arguments.check:
        return _check(path, installed)
    write_whole(path, rendered(snapshot))
    print(f"{path}: {_content(installed)} of onnx {installed.onnx_version}")
    return ExitCode.OK


def _check(path: Path, installed: Signatures) -> int:
    from ..signatures.comparing import differences
    from ..signatures.reading import read_signatures

    snapshot = read_signatures(path)
    lines = list(differences(snapshot, installed))
    for line in lines:
        print(f"onnx-vectors: {line}", file=sys.stderr)
    here, there = snapshot.onnx_version, installed.onnx_version
    if lines:
        print(
            f"onnx-vectors: {path} is of onnx {here}; onnx {there} is installed. To move to it,"
            f" run `onnx-vectors schemas --specs {path.parent}` and read what changed",
            file=sys.stderr,
        )
        return ExitCode.BAD_INPUT
    print(f"{path}: {_content(snapshot)} of onnx {here} are those of the installed onnx {there}")
    return ExitCode.OK


def _content(signatures: Signatures) -> str:
    operators = signatures.operators()
    versions = sum(len(signatures.versions(*operator)) for operator in operators)
    return f"{versions} versions of {len(operators)} operators"
