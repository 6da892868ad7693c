"""The part of data.json on outputs that nobody can predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Drawn

from ...oracle.arith.rationals import Whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...forms.models import Presentation
    from ...situations.situations import Situation

# Greater than the distance of any two numbers that are drawn.
_ANYTHING = 1e30


def laws_of(presentation: Presentation, situation: Situation) -> dict[str, list[Mapping[str, Any]]]:
    """The key `laws` of data.json: the laws of each output that has any, by its name."""
    values = [item for data_set in presentation.data_sets for item in data_set.outputs]
    values += [item for one in situation.permitted for item in one.values or ()]
    return {
        item.name: [_plain(law) for law in item.value.laws]
        for item in values
        if isinstance(item.value, Drawn)
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  a part of a law
    """The same with Python's integers, which alone JSON can write, for those of exact numbers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Whole) and not isinstance(value, bool):
        return int(value)
    return value


def plain_reach(laws: Mapping[str, list[Mapping[str, Any]]]) -> float:
    """How far a permitted element can be from the draw in output_N.pb.

    This is the tolerance for a plain runner, which does not read laws and compares elements: it
    then judges type and shape, and accepts every draw.
    """
    reach = 0.0
    for listed in laws.values():
        spans = [
            max(law["of"]) - min(law["of"]) if law["law"] == "values" else law["high"] - law["low"]
            for law in listed
            if law["law"] in ("values", "range")
        ]
        reach = max(reach, float(min(spans, default=_ANYTHING)))
    return reach
