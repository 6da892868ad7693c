"""`onnx-validate harness new|check`: write a harness, and find what one does wrong.

May come in: arguments, printing, exit codes.
May not: the check itself (`host.checking`), and the texts of a new harness (`skeletons`).
"""

from __future__ import annotations

import argparse

from . import check, new

# Action -> (module, one line of help).
_ACTIONS = {
    "new": (new, "write a harness to start from, in one of seven languages"),
    "check": (check, "play the protocol against a harness and say what it does wrong"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions, each with its arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (action, line) in _ACTIONS.items():
        subparser = actions.add_parser(name, help=line, description=line)
        action.configure(subparser)
        subparser.set_defaults(execute=action.execute)
