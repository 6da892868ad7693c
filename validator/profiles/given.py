"""The profile that a person names: a file, or a set that comes along."""

from __future__ import annotations

from pathlib import Path

from onnx_conformance.core.corpus.patterns import near
from onnx_conformance.core.errors import UsageError

from .known import known_profile, names
from .profile import Profile
from .reading import read_profile


def given_profile(text: str, option: str = "--profile") -> Profile:
    """The profile that an option names: a file, or a set that comes along.

    Raises UsageError if it is neither, BadInputError if the file cannot be read.
    """
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return read_profile(path)
    found = known_profile(text)
    if found is None:
        raise UsageError(
            f"{option} {text}: is no file and no profile that comes along"
            f"{near(text.lower(), names())}"
        )
    return found
