"""What the backend of a run claims: as a profile that is given, or in its handshake."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..host.backends import COMMAND_PREFIX, Backend
from ..host.protocol import Description
from ..profiles.given import given_profile
from ..profiles.profile import Profile
from .run import require_backend

HANDSHAKE = "its handshake"


@dataclass(frozen=True)
class Declared:
    """What a backend claims.

    Attributes:
        profile: what it claims to support; None if it claims nothing in particular.
        origin: where the profile is from: `its handshake`, or the path or name that was given.
        description: what it said of itself when it was asked; None if it was not.
    """

    profile: Profile | None = None
    origin: str = ""
    description: Description | None = None


def declared(
    given: str | None,
    asked: str,
    backend: Backend,
    start_timeout: float,
    option: str = "--profile",
) -> Declared:
    """What a run is checked against.

    A file goes before the handshake. Only a `command:` backend can declare something there: it is
    started once to be asked. Raises BackendUnusableError if it cannot be started.

    Args:
        given: the value of the option for a profile, or None.
        asked: the value of the option for the backend.
        backend: what it names.
        start_timeout: seconds in which the backend must answer.
        option: how errors name the option for a profile.
    """
    if given is not None:
        return Declared(given_profile(given, option), given)
    if not asked.startswith(COMMAND_PREFIX):
        return Declared()
    description = require_backend(backend, start_timeout)
    profile = description.profile
    if profile is None:
        return Declared(description=description)
    if profile.opset_to is None and description.max_opset is not None:
        profile = replace(profile, opset_to=description.max_opset)
    return Declared(profile, HANDSHAKE, description)
