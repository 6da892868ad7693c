"""Narrows vectors down to those with one of the values that an option asks for.

Each value must match some vector: one that matches none is an error that names what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.patterns import near
from onnx_conformance.core.errors import IncompleteError

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


def narrow(
    entries: list[Entry],
    option: str,
    asked: Sequence[Any],
    values: Callable[[Entry], Iterable[Any]],
) -> list[Entry]:
    """The entries that have one of the selected values; each value must match some entry."""
    if not asked:
        return entries
    folded = {_folded(value) for value in asked}
    met: dict[Any, None] = {}
    kept = []
    for entry in entries:
        found = [_folded(value) for value in values(entry)]
        met.update(dict.fromkeys(found))
        if not folded.isdisjoint(found):
            kept.append(entry)
    for value in asked:
        if _folded(value) not in met:
            known = sorted(met, key=lambda item: (isinstance(item, str), item))
            offer = near(str(value).lower(), [str(item) for item in known])
            elsewhere = _where_else(str(value)) if option == "operator" else ""
            if elsewhere and "did you mean" in offer:
                offer = ""  # a name that ONNX knows is not a misspelling
            offer += elsewhere
            raise IncompleteError(f"--{option} {value} takes none of {len(entries)} vectors{offer}")
    return kept


def _where_else(operator: str) -> str:
    """Where to find the cases of an operator that is not in the corpus; empty if unknown to ONNX.

    The name is looked up as given, and as people write it on a command line.
    """
    try:
        import onnx.defs
    except ModuleNotFoundError:
        return ""  # listing works without onnx
    known = {schema.name.lower(): schema.name for schema in onnx.defs.get_all_schemas()}
    name = known.get(operator.lower())
    if name is None:
        return ""
    return (
        f"; this corpus has no vectors of {name}: `onnx-vectors import onnx --output DIR` writes"
        " ONNX's own cases of all operators, for --vectors DIR"
    )


def _folded(value: Any) -> Any:  # noqa: ANN401  text or number
    return value.lower() if isinstance(value, str) else value
