"""`--profile`: the option, and the same words wherever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_profile_argument(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Declare `--profile`; `more` completes the help."""
    parser.add_argument(
        "--profile",
        metavar="FILE",
        help="what the runtime claims to support: a YAML file, or a name of `onnx-validate profile"
        f" list`{more}",
    )
