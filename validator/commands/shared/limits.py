"""The limits of a backend's children, the same options in every command that runs one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...host.worker import Settings
from .options import positive, seconds

if TYPE_CHECKING:
    import argparse


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare `--jobs`, `--timeout` and the others."""
    defaults = Settings()
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--jobs",
        type=positive,
        default=processors(),
        metavar="N",
        help="children that run at the same time (default: the processors, %(default)s here)",
    )
    limits.add_argument(
        "--timeout",
        type=seconds,
        default=defaults.timeout,
        metavar="S",
        help="seconds for one vector (default: %(default)g)",
    )
    limits.add_argument(
        "--start-timeout",
        type=seconds,
        default=defaults.start_timeout,
        metavar="S",
        help="seconds for a child to start, or to read one request (default: %(default)g)",
    )
    limits.add_argument(
        "--warm-up",
        type=seconds,
        default=defaults.warm_up,
        metavar="S",
        help="seconds beside the timeout for the first vector of a child, until one did without"
        " them (default: %(default)g)",
    )
    limits.add_argument(
        "--memory-limit",
        type=positive,
        metavar="MIB",
        help="MiB of address space that a child may take (default: no limit)",
    )
    limits.add_argument(
        "--max-output",
        type=positive,
        default=defaults.max_output,
        metavar="MIB",
        help="MiB that a child may write without a reply among it (default: %(default)s)",
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The limits of a command line."""
    return Settings(
        jobs=arguments.jobs,
        timeout=arguments.timeout,
        start_timeout=arguments.start_timeout,
        warm_up=arguments.warm_up,
        max_output=arguments.max_output,
        memory_limit=arguments.memory_limit,
    )


def processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
