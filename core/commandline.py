"""What both commands share: subcommands that are imported only when they are asked for.

A subcommand is a module with `configure(parser)` and `execute(arguments) -> int`. One that has
subcommands of its own gives the parser of each a default `execute` instead.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from .errors import (
    BadInputError,
    ConformanceError,
    ExitCode,
    StoppedBySignalError,
    cannot_write,
)
from .limits import LINE
from .printing import safe_streams
from .text import one_line

TRACEBACK_VARIABLE = "ONNX_CONFORMANCE_TRACEBACK"
_MOST_LINES = 100
# The packages that we depend on: import name -> name for pip. An environment may lack some of
# them (`pip install --no-deps`, or a checkout on sys.path).
_PACKAGES = {
    "onnx": "onnx",
    "google": "protobuf",
    "numpy": "numpy",
    "yaml": "pyyaml",
    "gmpy2": "gmpy2",
    "jinja2": "jinja2",
}


_INVALID_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


def _question(word: str, known: Sequence[str]) -> str:
    # The dashes that all options have would make them alike.
    bare = {item.lstrip("-"): item for item in known}
    close = difflib.get_close_matches(word.lstrip("-"), bare, n=1)
    return f"; did you mean {bare[close[0]]}?" if close else ""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line: 25 lines of usage would bury them."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what was likely meant and where the options are; ends with code 2."""
        end = self._guess(message) or ";"
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}{end} see `{self.prog} --help`\n")

    def _guess(self, message: str) -> str:
        """The option or the word that is most like an unknown one, as a question; or empty."""
        choice = _INVALID_CHOICE.search(message)
        if choice is not None:
            known = [item.strip(" '") for item in choice[2].split(",")]
            return _question(choice[1], known)
        _, found, words = message.partition("unrecognized arguments: ")
        options = [word.partition("=")[0] for word in words.split() if word.startswith("--")]
        if not found or not options:
            return ""
        return _question(options[0], list(self._option_string_actions))


def dispatch(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
    needs: Sequence[str] = (),
) -> int:
    """Run one subcommand and return its exit code.

    The exit code stays the same when the reader of standard output goes away. A fault of this
    program has an exit code of its own, and so has a disk too full for the output (see `errors`).

    Args:
        program: name of the command, e.g. `onnx-validate`.
        description: what it does, for --help.
        commands: subcommand -> (module that implements it, one line of help).
        arguments: the command line without the program's name.
        needs: packages that every subcommand imports; a subcommand that needs more names them as
            `needs` in its parser's defaults.
    """
    with safe_streams() as out:
        code = _guarded(program, lambda: _run(program, description, commands, arguments, needs))
        out.flush()
        if out.error is not None:
            _print_error(program, str(cannot_write("standard output", out.error)))
            code = max(code, ExitCode.CANNOT_WRITE)
    return code


def _run(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
    needs: Sequence[str],
) -> int:
    parser = Parser(prog=program, description=description)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    asked = next((item for item in arguments if not item.startswith("-")), None)
    for name, (module, line) in commands.items():
        subparser = subparsers.add_parser(name, help=line, description=line)
        if name == asked:
            _require(needs)
            implementation = importlib.import_module(module)
            implementation.configure(subparser)
            subparser.set_defaults(execute=getattr(implementation, "execute", None))
    parsed, unknown = parser.parse_known_args(list(arguments))
    if unknown:
        asked_parser = subparsers.choices.get(parsed.command, parser)
        asked_parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if parsed.version:
        from importlib.metadata import version

        print(f"{program} {version('onnx-conformance')}")  # noqa: T201  asked for
        return ExitCode.OK
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return ExitCode.USAGE
    _require(getattr(parsed, "needs", ()))
    return int(parsed.execute(parsed))


def _require(packages: Sequence[str]) -> None:
    """Raise BadInputError if a package is missing, before the command begins any work."""
    for name in packages:
        # None in sys.modules blocks a module: it has no spec, and counts as missing.
        if sys.modules.get(name) is None and not _is_there(name):
            raise BadInputError(_lacks(name))


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:
        return False


def _lacks(name: str) -> str:
    package = _PACKAGES.get(name, name)
    return (
        f"this needs {package}, which is not in this environment ({sys.executable}): pip install"
        f" {package}; or install onnx-conformance elsewhere, and reach the runtime that is here"
        " with --python"
    )


def _guarded(program: str, action: Callable[[], int]) -> int:
    """Run an action and return its exit code; every exception becomes an exit code and a message.

    A traceback would end with code 1, which scripts read as "unexpected verdicts".
    """
    try:
        return action()
    except ConformanceError as error:
        _print_error(program, str(error))
        return error.exit_code
    except KeyboardInterrupt as error:
        _print_error(program, "stopped")
        return 128 + (error.number if isinstance(error, StoppedBySignalError) else signal.SIGINT)
    except Exception as error:
        known = _known(error)
        if known is None:
            return _fault(program, error)
        _print_error(program, str(known))
        return known.exit_code


def _known(error: Exception) -> ConformanceError | None:
    """The error for a cause outside this program: a full disk, an incomplete installation."""
    if isinstance(error, OSError):
        known = cannot_write(error.filename or "a file", error)
        return known if known.exit_code is ExitCode.CANNOT_WRITE else None
    if isinstance(error, ModuleNotFoundError):
        name = (error.name or "").partition(".")[0]
        return BadInputError(_lacks(name)) if name in _PACKAGES else None
    return None


def _fault(program: str, error: Exception) -> int:
    """Report on one line that this program failed; print the traceback if the user asked for it."""
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exception(error, file=sys.stderr)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""  # noqa: PTH119  a name
    _print_error(
        program,
        f"a fault of {program} itself, which says nothing of any backend or vector:"
        f" {type(error).__name__}: {one_line(str(error), 300)}{place};"
        f" {TRACEBACK_VARIABLE}=1 prints the traceback, for a report of it",
    )
    return ExitCode.FAULT


def _print_error(program: str, text: str) -> None:
    """Print an error on standard error, safely whatever a file or a runtime put into its text.

    It takes one line; only our own messages have further lines, which are indented.
    """
    first, *more = text.split("\n  ", _MOST_LINES)
    lines = [f"{program}: {one_line(first, LINE)}", *(f"  {one_line(item, LINE)}" for item in more)]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201  the reason for the exit
