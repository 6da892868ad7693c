"""What both commands share: subcommands that are imported only when they are asked for.

A subcommand is a module with `configure(parser)` and `execute(arguments) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

from .errors import ConformanceError, ExitCode, cannot_write
from .limits import LINE
from .printing import safe_streams
from .text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TRACEBACK_VARIABLE = "ONNX_CONFORMANCE_TRACEBACK"
_MOST_LINES = 100


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line: 25 lines of usage would bury them."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the options are listed; ends the program with code 2."""
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def dispatch(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
) -> int:
    """Run one subcommand and return its exit code.

    A reader of standard output who leaves changes nothing in it, a fault of this program has a
    code of its own, and what cannot be printed for want of room has another (`errors`).

    Args:
        program: name of the command, e.g. `onnx-validate`.
        description: what it does, for --help.
        commands: subcommand -> (module that implements it, one line of help).
        arguments: the command line without the program's name.
    """
    with safe_streams() as out:
        code = _guarded(program, lambda: _run(program, description, commands, arguments))
        out.flush()
        if out.error is not None:
            _say(program, str(cannot_write("standard output", out.error)))
            code = max(code, ExitCode.CANNOT_WRITE)
    return code


def _run(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
) -> int:
    parser = Parser(prog=program, description=description)
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
    return int(parsed.execute(parsed))


def _guarded(program: str, action: Callable[[], int]) -> int:
    """The exit code of an action, whatever it raises: no traceback is read as a verdict."""
    try:
        return action()
    except ConformanceError as error:
        _say(program, str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _say(program, "stopped")
        return 130
    except OSError as error:
        known = cannot_write(error.filename or "a file", error)
        if known.exit_code is ExitCode.CANNOT_WRITE:
            _say(program, str(known))
            return known.exit_code
        return _fault(program, error)
    except Exception as error:
        return _fault(program, error)


def _fault(program: str, error: Exception) -> int:
    """Say that this program failed, in one line; with the traceback where it is asked for."""
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exception(error, file=sys.stderr)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""  # noqa: PTH119  a name
    _say(
        program,
        f"a fault of {program} itself, which says nothing of any backend or vector:"
        f" {type(error).__name__}: {one_line(str(error), 300)}{place};"
        f" {TRACEBACK_VARIABLE}=1 prints the traceback, for a report of it",
    )
    return ExitCode.FAULT


def _say(program: str, text: str) -> None:
    """An error on standard error, whatever a file or a runtime put into its text.

    It is one line; only messages of ours go on, on lines that are indented.
    """
    first, *more = text.split("\n  ", _MOST_LINES)
    lines = [f"{program}: {one_line(first, LINE)}", *(f"  {one_line(item, LINE)}" for item in more)]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201  the reason for the exit
