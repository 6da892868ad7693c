"""`onnx-vectors new`: write the skeleton of a spec for an operator that has no spec."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, UsageError

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    parser.add_argument("operator", metavar="OPERATOR", help="its name, e.g. Squeeze")
    parser.add_argument(
        "--domain", default="", metavar="D", help="its domain, e.g. ai.onnx.ml (the default one)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where the skeleton goes (SPECS/OPERATOR.yaml in lower case)",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Write the skeleton; an existing file is not changed."""
    from onnx_conformance.core.files import write_whole

    from ..importing.collecting import collect
    from ..signatures.reading import FILE_NAME, read_signatures
    from ..skeleton.documents import document_comments
    from ..skeleton.examples import upstream_examples
    from ..skeleton.roles import suggested_roles
    from ..skeleton.writing import skeleton

    domain = "" if arguments.domain == "ai.onnx" else arguments.domain
    signatures = read_signatures(arguments.specs / FILE_NAME)
    known = signatures.versions(domain, arguments.operator)
    versions = tuple(item for item in known if not item.deprecated)
    name = f"{domain}.{arguments.operator}" if domain else arguments.operator
    path: Path = arguments.output or arguments.specs / f"{name.lower()}.yaml"
    if path.is_file():
        raise UsageError(f"{path}: is there already; give --output to have a skeleton beside it")
    text = skeleton(
        versions,
        list(document_comments(domain, arguments.operator, [v.since_version for v in versions])),
        upstream_examples(collect(), versions, suggested_roles(versions)),
    )
    write_whole(path, text)
    print(f"{path}: the skeleton of {name}; `onnx-vectors admit` says what is left to do in it")
    return ExitCode.OK
