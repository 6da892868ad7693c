"""`python -m strength`: the command line."""

from __future__ import annotations

import argparse
import resource
import sys
from importlib import import_module

from onnx_conformance.core.errors import ConformanceError

from .guarding import MEMORY

#: The commands, each with its module in `commands`.
COMMANDS = (
    "run",
    "renew",
    "check",
    "arrangements",
    "data",
    "classes",
    "runtimes",
    "sizes",
    "families",
    "explore",
    "serve",
)


def main() -> int:
    """Exit code 0: enough is noticed; 1: not; 3: bad input; 5: nothing was measured."""
    parser = argparse.ArgumentParser(prog="python -m strength", description=_DESCRIPTION)
    parser.add_argument("command", choices=COMMANDS)
    name = parser.parse_args(sys.argv[1:2]).command
    module = import_module(f"{__package__}.commands.{name}")
    words = (module.__doc__ or "").partition(": ")[2]
    parser = argparse.ArgumentParser(prog=f"python -m strength {name}", description=words)
    module.configure(parser)
    arguments = parser.parse_args(sys.argv[2:])
    try:
        return int(module.execute(arguments))
    except ConformanceError as error:
        sys.stderr.write(f"strength: {error}\n")
        return int(error.exit_code)


_DESCRIPTION = "How many of the bugs that are made on purpose a corpus notices: docs/strength.md."

if __name__ == "__main__":
    # Not in `main`: a test that calls that would keep the limit, and so would its children.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    sys.exit(main())
