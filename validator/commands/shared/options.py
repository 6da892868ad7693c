"""Options that several commands have, each declared once."""

from __future__ import annotations

import argparse
from pathlib import Path

from onnx_conformance.core.cluster.options import add_cluster
from onnx_conformance.core.values.limits import IEEE, PROFILES


def add_backend(parser: argparse._ActionsContainer) -> None:
    """Declare `--backend`, which must be given."""
    parser.add_argument(
        "--backend",
        required=True,
        metavar="NAME",
        help="a backend of `onnx-validate backends`, python:MODULE[:ATTR] or 'command:PROGRAM ...'",
    )


def add_python(parser: argparse._ActionsContainer) -> None:
    """Declare `--python`."""
    parser.add_argument(
        "--python", metavar="PATH", help="interpreter that has the runtime (default: this one)"
    )


def add_accuracy_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--accuracy`; the default is `ieee`."""
    parser.add_argument(
        "--accuracy",
        choices=PROFILES,
        default=IEEE,
        help="which limits of a vector count: ieee, what careful software on a CPU meets; gpu, what"
        " OpenCL asks of a device; onnx, also what rtol and atol accept (default: %(default)s)",
    )


def add_profile_argument(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Declare `--profile`; `more` completes the help."""
    parser.add_argument(
        "--profile",
        metavar="FILE",
        help="what the runtime claims to support: a YAML file, or a name of `onnx-validate profile"
        f" list`{more}",
    )


def add_cluster_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare them; `what` runs on the cluster, in words."""
    many = parser.add_argument_group("many machines")
    add_cluster(many, what, seconds)


def add_results(parser: argparse.ArgumentParser, count: str = "+") -> None:
    """Declare RESULTS, as many as argparse's `count` says, and the guard on their number."""
    parser.add_argument(
        "results",
        nargs=count,
        type=Path,
        metavar="RESULTS",
        help="results file of a run; several where it was sharded",
    )
    add_min_cases(parser, "have a verdict")


def add_min_cases(parser: argparse._ActionsContainer, what: str) -> None:
    """Declare `--min-cases`; `what` completes the help: which vectors count."""
    parser.add_argument(
        "--min-cases",
        type=positive,
        metavar="N",
        help=f"exit code 5 where fewer vectors than this {what}",
    )


def add_include_from(parser: argparse._ActionsContainer) -> None:
    """Declare `--include-from`, for commands that read a baseline."""
    parser.add_argument(
        "--include-from",
        type=Path,
        metavar="DIR",
        help="the baseline may include files of this folder, too, not of its own alone",
    )


def add_allow_reused(parser: argparse._ActionsContainer) -> None:
    """Declare `--allow-reused`, for commands that hold results against a baseline."""
    parser.add_argument(
        "--allow-reused",
        action="store_true",
        help="do not be red where verdicts were taken over from an earlier run with --reuse",
    )


def add_max_lost(parser: argparse._ActionsContainer, default: str) -> None:
    """Declare `--max-lost-children`; `default` completes the help: how many by default."""
    parser.add_argument(
        "--max-lost-children",
        type=_not_negative,
        metavar="N",
        help="be red where more children of the backend than this are lost between vectors, or with"
        f" a vector that is answered when it runs alone (default: {default})",
    )


def add_strict_new(parser: argparse._ActionsContainer) -> None:
    """Declare `--strict-new`, for commands that hold results against a baseline."""
    parser.add_argument(
        "--strict-new",
        action="store_true",
        help="be red also where vectors fail that are newer than the corpus of the baseline",
    )


# --- what their values must be --------------------------------------------------------------


def positive(text: str) -> int:
    """A number of at least 1, for argparse."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _not_negative(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def seconds(text: str) -> float:
    """A positive number of seconds, for argparse."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return value
