"""Which families may serve an operator, guessed from its signature and its document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..signatures.model import Option, Signature
from ..specs.words import Role

_ELEMENTWISE = re.compile(r"element-?wise|[Bb]roadcast|each element|NumPy ufunc", re.IGNORECASE)
# Attributes that say where an element is found; functions of single elements do not have them.
_PLACES = re.compile(
    r"axis|axes|perm|shape|pads|kernel|size|mode|layout|direction|equation|norm|to$"
)
_LEGACY_BROADCAST = "broadcast"


def is_elementwise(signature: Signature, roles: Mapping[str, Role], document: str) -> bool:
    """Whether an output's element seems to depend on the elements at the same place only.

    Args:
        signature: the newest version's signature.
        roles: the roles of its inputs.
        document: the text of its document.
    """
    if len(signature.outputs) != 1 or not signature.inputs:
        return False
    if any(
        roles[item.name] is not Role.DATA or item.option == Option.OPTIONAL
        for item in signature.inputs
    ):
        return False
    if any(_PLACES.search(name) for name in signature.attributes):
        return False
    return bool(_ELEMENTWISE.search(document))


def family_lines(
    versions: Sequence[Signature], roles: Mapping[str, Role], document: str
) -> list[str]:
    """The lines below `families:`."""
    newest = versions[-1]
    if not is_elementwise(newest, roles, document):
        return [*_combinations(newest), "  - family: structure"]
    legacy = [item.since_version for item in versions if _LEGACY_BROADCAST in item.attributes]
    lines = [
        "  - family: elementwise",
        "    covers: [to-be-written]  # the requirements that say what the values are",
    ]
    if legacy:
        first = min(item.since_version for item in versions if item.since_version > legacy[-1])
        lines.append(f"    since: {first}")
    lines.append("    with: {data: specials}")
    if legacy:
        lines += [
            "  - family: elementwise",
            "    id: legacy",
            "    covers: [to-be-written]",
            f"    until: {legacy[-1]}",
            "    # There the attribute decides, which cases of its own give.",
            "    with: {broadcast: false, data: specials}",
        ]
    return [*lines, "  - family: structure"]


def _combinations(signature: Signature) -> list[str]:
    names = [
        *(item.name for item in signature.inputs if item.option == Option.OPTIONAL),
        *(
            name
            for name, item in signature.attributes.items()
            if item.type in ("int", "ints", "float", "string")
        ),
    ]
    if len(names) <= 1:
        return []
    return [
        "  # - family: combinations  # every pair of values once",
        "  #   covers: [to-be-written]",
        "  #   with:",
        "  #     values:",
        *(f"  #       {name}: []" for name in names),
    ]
