"""`--accuracy PROFILE`, the same option in every command that judges or shows a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.limits import IEEE, PROFILES

if TYPE_CHECKING:
    import argparse


def add_accuracy_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--accuracy`; the default is `ieee`."""
    parser.add_argument(
        "--accuracy",
        choices=PROFILES,
        default=IEEE,
        help="which limits of a vector count: ieee, what careful software on a CPU meets; gpu, what"
        " OpenCL asks of a device; onnx, also what rtol and atol accept (default: %(default)s)",
    )
