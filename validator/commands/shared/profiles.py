"""`--profile` and `--all`: what a runtime claims, and whether the rest is run as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from ...host.backends import Backend
    from ...profiles.profile import Profile

HANDSHAKE = "its handshake"


def add_profile_argument(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Declare `--profile`; `more` completes the help."""
    parser.add_argument(
        "--profile",
        metavar="FILE",
        help="what the runtime claims to support: a YAML file, or a name of `onnx-validate profile"
        f" list`{more}",
    )


def given_profile(text: str) -> Profile:
    """The profile that `--profile` names: a file, or a set that comes along.

    Raises UsageError if it is neither, BadInputError if the file cannot be read.
    """
    from ...profiles.known import known_profile, names
    from ...profiles.reading import read_profile

    path = Path(text)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return read_profile(path)
    found = known_profile(text)
    if found is None:
        from onnx_conformance.core.corpus.patterns import near

        raise UsageError(
            f"--profile {text}: is no file and no profile that comes along"
            f"{near(text.lower(), names())}"
        )
    return found


def profile_of_run(
    given: str | None, asked: str, backend: Backend, start_timeout: float
) -> tuple[Profile, str] | None:
    """The profile that a run is held to, and where it is from; None if nothing is claimed.

    A file goes before the handshake. Only a `command:` backend can declare one there: it is
    started once to be asked. Raises BackendUnusableError if it cannot be started.

    Args:
        given: the value of `--profile`, or None.
        asked: the value of `--backend`.
        backend: what it names.
        start_timeout: seconds in which the backend must answer.
    """
    from ...host.backends import COMMAND_PREFIX
    from ...running.run import require_backend

    if given is not None:
        return given_profile(given), given
    if not asked.startswith(COMMAND_PREFIX):
        return None
    description = require_backend(backend, start_timeout)
    profile = description.profile
    if profile is None:
        return None
    if profile.opset_to is None and description.max_opset is not None:
        profile = replace(profile, opset_to=description.max_opset)
    return profile, HANDSHAKE
