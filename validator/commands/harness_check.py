"""`onnx-validate harness check`: what a harness does wrong, in words."""

from __future__ import annotations

import argparse
import sys

from ..child import Launch
from ..errors import ExitCode, UsageError
from ..harness_check import Limits, check_harness


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    defaults = Limits()
    parser.epilog = "Example: onnx-validate harness check -- node harness.mjs"
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
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...")


def execute(arguments: argparse.Namespace) -> int:
    """Print one line for each step.

    0 where the harness speaks the protocol, 1 where it does not, 4 where even the handshake fails.
    """
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if not program:
        raise UsageError("the harness is missing: onnx-validate harness check -- PROGRAM ...")
    limits = Limits(arguments.start_timeout, arguments.timeout, max(arguments.timeout, 1.0))
    findings = []
    for finding in check_harness(Launch(tuple(program)), limits):
        findings.append(finding)
        said = finding.fault or finding.remark
        print(f"{'WRONG' if finding.fault else 'ok   '} {finding.step}{': ' if said else ''}{said}")
        sys.stdout.flush()
    faults = sum(bool(finding.fault) for finding in findings)
    if not faults:
        print("the harness speaks protocol 1")
        return ExitCode.OK
    print(f"{faults} of {len(findings)} steps went wrong; docs/protocol.md says what is right")
    return ExitCode.BACKEND_UNUSABLE if findings[0].fault else ExitCode.UNEXPECTED
