"""`onnx-vectors opens [OPERATOR]`: what documents leave open, as texts that can be filed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    parser.epilog = (
        "Of one operator the whole texts are printed, each of which can be filed as an issue; of"
        " all operators a line for each question, those first on which most runtimes differ."
        " exit codes: 2 no such operator, 3 a spec cannot be read, else 0"
    )
    parser.add_argument("operator", nargs="?", metavar="OPERATOR", help="such as Max")
    parser.add_argument(
        "--issues", action="store_true", help="print the whole texts for all operators, too"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the questions."""
    from onnx_conformance.core.witnesses.readings import open_ledger

    from ..opens.joining import open_questions
    from ..opens.wording import issue, listed

    ledger = open_ledger()
    found = open_questions(arguments.specs, ledger, arguments.operator)
    if arguments.operator is None and not arguments.issues:
        for line in listed(found):
            print(line)
        return ExitCode.OK
    if not found:
        print(f"{arguments.operator}: its spec states no open question")
    print("\n".join(issue(item, ledger.corpus) for item in found), end="")
    return ExitCode.OK
