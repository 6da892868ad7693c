"""`onnx-vectors schemas`: the snapshot of ONNX's schemas, and the schema of specs for editors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse

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
    """Write specs/schemas.json from the installed onnx and schema.json for editors, or compare."""
    from onnx_conformance.core.files import write_whole

    from ..editors.schema import EDITOR_SCHEMA, rendered_editor_schema
    from ..signatures.reading import FILE_NAME, Signatures
    from ..signatures.snapshot import installed_snapshot, rendered

    editors: Path = arguments.specs / EDITOR_SCHEMA
    path: Path = arguments.specs / FILE_NAME
    snapshot = installed_snapshot()
    installed = Signatures(snapshot)
    if arguments.check:
        code = _check(path, installed)
        if code is ExitCode.OK and not _is(editors, rendered_editor_schema()):
            advice = f"run `onnx-vectors schemas --specs {path.parent}`"
            print(f"onnx-vectors: {editors}: is out of date; {advice}", file=sys.stderr)
            return ExitCode.BAD_INPUT
        return code
    write_whole(path, rendered(snapshot))
    write_whole(editors, rendered_editor_schema())
    print(f"{path}: {_content(installed)} of onnx {installed.onnx_version}")
    return ExitCode.OK


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text("utf-8") == text


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
