"""`onnx-validate compare OLD NEW`: what was fixed, broken, added, withdrawn, changed in kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .reading import add_min_cases, read_columns, say_shortfalls

if TYPE_CHECKING:
    import argparse

EPILOG = """\
exit codes: 1 where something is broken, 3 where a file cannot be used, 5 where either run lacks a
verdict or a shard, else 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("old", metavar="OLD", type=Path, help="results file of the earlier run")
    parser.add_argument("new", metavar="NEW", type=Path, help="results file of the later run")
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="write the comparison as Markdown as well"
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=50, help="vectors listed of each kind (50)"
    )
    add_min_cases(parser, "have a verdict in either run")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, print, and say by the exit code whether something broke."""
    from onnx_conformance.core.files import write_whole

    from ..reports import comparison as rendering
    from ..reports.terminal import printable
    from ..results.changes import changes_between

    old, new = (read_columns([path])[0] for path in (arguments.old, arguments.new))
    found = changes_between(old, new)
    if arguments.markdown is not None:
        write_whole(arguments.markdown, rendering.render_markdown(found))
    text = rendering.render_text(found, limit=max(arguments.limit, 0))
    sys.stdout.write(printable(text, sys.stdout))
    if say_shortfalls([old, new], arguments.min_cases) != ExitCode.OK:
        return ExitCode.INCOMPLETE
    return ExitCode.UNEXPECTED if found.of("broken") else ExitCode.OK
