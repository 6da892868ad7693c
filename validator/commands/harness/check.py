"""`onnx-validate harness check`: what a harness does wrong, in words."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, UsageError
from onnx_conformance.core.text import one_line

from ...host.conversation import Limits

if TYPE_CHECKING:
    from ...host.checking.harness_check import StepResult

# Characters of a line that --verbose shows.
_SHOWN = 800
EPILOG = """\
Example: onnx-validate harness check -- node harness.mjs
exit codes: 0 the harness speaks protocol 1 and gave no odd answer (what its runtime does not
implement is not odd), 1 a step went wrong, an answer is odd (good protocol around a wrong value),
or no model was answered with values, 2 usage, 4 the program cannot be started or the handshake
fails
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    defaults = Limits()
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy"))
    parser.add_argument(
        "--timeout",
        type=float,
        default=defaults.reply,
        metavar="S",
        help="seconds for one reply (default: %(default)g)",
    )
    parser.add_argument(
        "--start-timeout",
        type=float,
        default=defaults.start,
        metavar="S",
        help="seconds to start (default: %(default)g)",
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="show the conversation: > what the host writes, < what the harness writes",
    )
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...")


def execute(arguments: argparse.Namespace) -> int:
    """Print one line for each step.

    Returns 0 if the harness speaks the protocol and every answer is right, 1 if it breaks the
    protocol, an answer is wrong ("odd") or none has values, 4 if even the handshake fails.
    """
    # It needs NumPy, without which `harness new` works all the same.
    from ...host.checking.harness_check import check_harness

    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    _refuse_no_program(program)
    limits = Limits(arguments.start_timeout, arguments.timeout, max(arguments.timeout, 1.0))
    findings = []
    watch = {"watch": _show} if arguments.verbose else {}
    for finding in check_harness(tuple(program), limits, **watch):
        findings.append(finding)
        words = finding.fault or finding.remark
        print(f"{_mark(finding)} {finding.step}{': ' if words else ''}{words}")
        sys.stdout.flush()
    return _summary(findings)


def _show(mark: str, line: bytes) -> None:
    """Print a line of the conversation; of a long line only its beginning and its end."""
    text = line.rstrip(b"\n").decode("utf-8", "backslashreplace")
    if len(text) > _SHOWN:
        left_out = len(text) - _SHOWN
        text = f"{text[: _SHOWN // 2]} …{left_out} characters… {text[-_SHOWN // 2 :]}"
    print(f"  {mark} {one_line(text)}", flush=True)


def _refuse_no_program(program: Sequence[str]) -> None:
    if not program:
        raise UsageError("the harness is missing: onnx-validate harness check -- PROGRAM ...")
    if len(program) == 1 and len(program[0].split()) > 1 and shutil.which(program[0]) is None:
        raise UsageError(
            f"'{program[0]}' is one word: pass program and arguments separately after --, as in"
            f" onnx-validate harness check -- {program[0]}"
        )


def _mark(finding: StepResult) -> str:
    if finding.fault:
        return "WRONG"
    return "odd  " if finding.odd else "ok   "


def _summary(findings: Sequence[StepResult]) -> int:
    """Print the conclusion, and return the exit code."""
    faults = sum(bool(finding.fault) for finding in findings)
    odd = sum(finding.odd for finding in findings)
    empty = not any(finding.values for finding in findings)
    if empty and not findings[0].fault:
        print(
            "no model was answered with values: nothing about values was checked, and that is no"
            " pass"
        )
    odd_words = f"{odd} {'answer was' if odd == 1 else 'answers were'} odd"
    if not faults:
        print(f"the harness speaks protocol 1{f'; {odd_words}' if odd else ''}")
        return ExitCode.UNEXPECTED if odd or empty else ExitCode.OK
    print(
        f"{faults} of {len(findings)} steps went wrong{f'; {odd_words}' if odd else ''};"
        " docs/protocol.md says what is right"
    )
    return ExitCode.BACKEND_UNUSABLE if findings[0].fault else ExitCode.UNEXPECTED
