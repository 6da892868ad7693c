"""What an installed package offers to whoever must not import it: found by name.

The validator knows nothing of specs and oracles. The package that knows them registers entry points
for what it offers, each named `published`, in a group of its own.
"""

from __future__ import annotations

from typing import Any

from .errors import BadInputError

PUBLISHED = "published"


def installed(group: str, lacking: str) -> Any:  # noqa: ANN401  each group has a type of its own
    """What is registered in a group of entry points; ImportError where it cannot be imported.

    Args:
        group: the group.
        lacking: what this installation cannot do without it, for the message.

    Raises:
        BadInputError: nothing is registered.
    """
    from importlib.metadata import entry_points

    found = entry_points(group=group, name=PUBLISHED)
    if not found:
        raise BadInputError(
            f"{lacking} (entry point '{PUBLISHED}' of the group '{group}'); install"
            " onnx-conformance again"
        )
    return next(iter(found)).load()
