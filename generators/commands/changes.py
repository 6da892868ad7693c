"""`onnx-vectors changes OLD NEW`: the changelog of vectors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse

EPILOG = """\
OLD and NEW: a release (0.2.0), a folder with manifests, or a git revision of the checkout

exit codes: 2 where OLD or NEW is none of these, 3 where a manifest cannot be used, or where a
vector was corrected without a ruling or lost without being withdrawn (all is printed first), else 0
"""
_SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = EPILOG
    add_specs_folder(parser)
    parser.add_argument("old", metavar="OLD", help="what the corpus was")
    parser.add_argument(
        "new",
        metavar="NEW",
        nargs="?",
        help="what it is (the manifests of this checkout, or those that are installed)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, with every id, instead of Markdown"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page to FILE")
    parser.add_argument("--document", type=Path, metavar="FILE", help="write the JSON to FILE")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, print or write, and name what nobody explained."""
    from onnx_conformance.core.files import write_whole

    from ..corpus.published import PACKAGE, PUBLISHED
    from ..releases.changelog import as_document, as_markdown
    from ..releases.changes import changes_between
    from ..releases.contents import STANDARD, contents_of, read_manifests
    from ..specs.rulings import read_rulings

    manifests = STANDARD if STANDARD.is_dir() else PACKAGE / PUBLISHED
    here = read_manifests(manifests)
    old = contents_of(arguments.old, here)
    new = here.now("what is here") if arguments.new is None else contents_of(arguments.new, here)
    known = {here.version, *(item.version for item in here.released)}
    changes = changes_between(old, new, read_rulings(arguments.specs, sorted(known)))
    page = as_markdown(changes)
    document = json.dumps(as_document(changes), indent=1, ensure_ascii=False) + "\n"
    if arguments.markdown is not None:
        write_whole(arguments.markdown, page)
    if arguments.document is not None:
        write_whole(arguments.document, document)
    if arguments.json or (arguments.markdown is None and arguments.document is None):
        print(document if arguments.json else page, end="")
    unexplained = changes.unexplained
    for vector_id in unexplained[:_SHOWN]:
        print(f"onnx-vectors: {vector_id}: changed, or is gone, without a ruling", file=sys.stderr)
    if len(unexplained) > _SHOWN:
        print(f"onnx-vectors: and {len(unexplained) - _SHOWN:,} more", file=sys.stderr)
    return ExitCode.BAD_INPUT if unexplained else ExitCode.OK
