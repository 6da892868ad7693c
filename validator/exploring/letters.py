"""Which drawers draw what of which operators; an operator without one is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.exploring.explorer import Explorer

# The letters of drawers: of single calls from a signature and from a vector, which take turns; of
# graphs; of a user's model.
_CALLS, _GRAPHS, _MODEL = "ds", "g", "m"
_NAMES = 12


def letters_of(
    explorer: Explorer,
    operators: Sequence[str],
    *,
    graphs: bool,
    note: Callable[[str], None],
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """The operators to draw from with their versions, and the letters of each one's drawers.

    Args:
        explorer: what draws.
        operators: as a user names them; empty means all.
        graphs: whether graphs are drawn, instead of single calls.
        note: called with what a person must know: operators of which nothing is drawn.

    Raises IncompleteError if nothing can be drawn of any of them.
    """
    subjects = explorer.subjects(operators, graphs=graphs)
    if graphs:
        return subjects, dict.fromkeys(subjects, _GRAPHS)
    without = sorted(explorer.without_vectors(operators))
    if without:
        more = f" and {len(without) - _NAMES} more" if len(without) > _NAMES else ""
        note(f"note: nothing can be drawn of: {', '.join(without[:_NAMES])}{more}")
    left = {name: items for name, items in subjects.items() if name not in without}
    if not left:
        raise IncompleteError("nothing can be drawn of any of these operators")
    return left, dict.fromkeys(left, _CALLS)


def of_model(
    explorer: Explorer, model: Path, operators: Sequence[str]
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """As `letters_of`, of the operators that a model uses.

    Raises IncompleteError if nothing can be drawn of any of them, and BadInputError if the file
    holds no model.
    """
    found = explorer.of_model(model)
    wanted = explorer.subjects(operators).keys() if operators else found.keys()
    left = {name: items for name, items in found.items() if name in wanted}
    if not left:
        which = "any of these operators in it" if operators else "what it uses"
        raise IncompleteError(f"{model}: nothing can be drawn of {which}")
    return left, dict.fromkeys(left, _MODEL)
