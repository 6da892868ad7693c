"""What both commands share: subcommands that are imported only when they are asked for.

A subcommand is a module with `configure(parser)` and `execute(arguments) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

from .errors import ConformanceError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def dispatch(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
) -> int:
    """Run one subcommand and return its exit code.

    Args:
        program: name of the command, e.g. `onnx-validate`.
        description: what it does, for --help.
        commands: subcommand -> (module that implements it, one line of help).
        arguments: the command line without the program's name.
    """
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    asked = next((item for item in arguments if not item.startswith("-")), None)
    for name, (module, line) in commands.items():
        subparser = subparsers.add_parser(name, help=line, description=line)
        if name == asked:
            implementation = importlib.import_module(module)
            implementation.configure(subparser)
            subparser.set_defaults(execute=implementation.execute)
    parsed = parser.parse_args(list(arguments))
    if parsed.version:
        from importlib.metadata import version

        print(f"{program} {version('onnx-conformance')}")  # noqa: T201  asked for
        return ExitCode.OK
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return ExitCode.USAGE
    try:
        return int(parsed.execute(parsed))
    except ConformanceError as error:
        print(f"{program}: {error}", file=sys.stderr)  # noqa: T201  the error's one line
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return ExitCode.OK
    except KeyboardInterrupt:
        print(f"{program}: stopped", file=sys.stderr)  # noqa: T201  the reason for the exit
        return 130
