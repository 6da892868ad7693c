"""The arguments of `onnx-validate run`."""

from __future__ import annotations

import argparse
from pathlib import Path

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument

from ...judging.tolerance_rules import MODES, ONNX_MODE
from ...running.selecting import add_arguments
from ..shared.limits import add_limits
from ..shared.options import (
    add_accuracy_argument,
    add_allow_reused,
    add_backend,
    add_cluster_arguments,
    add_include_from,
    add_max_lost,
    add_min_cases,
    add_profile_argument,
    add_python,
    add_strict_new,
    positive,
)
from .fresh import add_fresh_argument
from .report import REPORTS

_LONGEST_NAME = 80
EPILOG = """\
exit codes: 0 every vector passes, or is as the baseline says; 1 a vector does not pass (without
--baseline, unsupported and inconclusive are no pass either), or differs from the baseline; 2 usage;
3 bad input, such as a damaged vector or baseline; 4 the backend cannot be used; 5 nothing or fewer
than --min-cases selected, or a vector without a verdict; 6 no room for results, a report or what is
printed; 7 a fault of onnx-validate itself; 128 + N stopped by signal N. Where several apply, the
highest
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy"))
    add_backend(parser)
    parser.add_argument(
        "--name",
        type=_name,
        metavar="TEXT",
        help="what reports call the backend (default: the text of --backend, which is long for a"
        " command:); --resume needs the same name again",
    )
    add_vectors_argument(parser)
    add_python(parser)
    add_limits(parser)
    add_cluster_arguments(parser, "run the vectors")
    files = parser.add_argument_group("results and reports")
    files.add_argument(
        "--results", type=Path, metavar="FILE", help="write results as they come (JSON lines)"
    )
    files.add_argument(
        "--resume",
        action="store_true",
        help="continue the results in --results FILE where they were cut short",
    )
    files.add_argument(
        "--reuse",
        type=Path,
        action="append",
        default=[],
        metavar="RESULTS",
        help="take over verdicts of this earlier run whose vectors, runtime, harness, options and"
        " platform are the same, instead of running them again; --results may be the same file",
    )
    files.add_argument(
        "--force",
        action="store_true",
        help="replace --results FILE even if it holds verdicts of another backend or selection",
    )
    for name in REPORTS:
        files.add_argument(
            f"--{name}", type=Path, metavar="FILE", help=f"write the report as {name}"
        )
    files.add_argument(
        "--write-plan",
        type=Path,
        metavar="FILE",
        help="with --by-time: write which vectors each shard has; `baseline check --plan` holds the"
        " shards to it",
    )
    files.add_argument(
        "--verbose", action="store_true", help="list every failing vector, not a few of each cause"
    )
    parser.add_argument(
        "--tolerance",
        choices=MODES,
        default=ONNX_MODE,
        help="how near is near enough for the vectors of others, such as ONNX's: their own rtol and"
        " atol, or our rule for the operator (default: %(default)s)",
    )
    add_accuracy_argument(parser)
    checks = parser.add_argument_group("gate")
    checks.add_argument(
        "--baseline", type=Path, metavar="FILE", help="the failures that you know about"
    )
    add_include_from(checks)
    add_strict_new(checks)
    checks.add_argument(
        "--rerun-failures",
        type=positive,
        metavar="N",
        help="run what turns the gate red N more times, to tell a flake from a failure",
    )
    add_max_lost(checks, "none with --baseline, else one of 10,000 vectors and at least one")
    checks.add_argument(
        "--allow-resumed",
        action="store_true",
        help="with --resume: do not be red where every verdict is of an earlier run",
    )
    add_allow_reused(checks)
    checks.add_argument(
        "--annotations",
        choices=("github",),
        help="also print what turns the gate red in the form that a CI service shows in the code",
    )
    add_min_cases(checks, "are selected")
    claims = parser.add_argument_group("what the runtime claims")
    add_profile_argument(
        claims, "; default: what a command: backend declares in its handshake, if anything"
    )
    claims.add_argument(
        "--all",
        action="store_true",
        dest="everything",
        help="also run what the profile does not claim; it is counted apart",
    )
    add_fresh_argument(parser)
    add_arguments(parser)


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > _LONGEST_NAME:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name: 1 to {_LONGEST_NAME} printable characters"
        )
    return text.strip()
