"""The part of data.json on outputs that nobody can predict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, NamedValue, Tensor

from ...oracle.arith.rationals import Whole
from ...situations.situations import Situation

if TYPE_CHECKING:
    from ...forms.models import Presentation

# Greater than the distance of any two numbers that are drawn.
_ANYTHING = 1e30


def laws_of(presentation: Presentation, situation: Situation) -> dict[str, list[Mapping[str, Any]]]:
    """The key `laws` of data.json: the laws of each output that has any, by its name."""
    values = [item for data_set in presentation.data_sets for item in data_set.outputs]
    values += [item for one in situation.permitted for item in one.outputs or ()]
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


def require_lawful(values: Iterable[NamedValue], where: str) -> None:
    """Raise BadInputError if a draw that is to be stored breaks a law that it is stored with.

    A judge that compares the stored outputs with themselves would refuse them, and a runtime that
    returned just these would fail.

    Args:
        values: the outputs of one data set, or of one permitted result.
        where: the case and the vector, for the message.
    """
    together = {item.name: item.value for item in values if isinstance(item.value, Tensor)}
    for name, value in together.items():
        words = broken(value.laws, value, together) if isinstance(value, Drawn) else None
        if words is not None:
            raise BadInputError(
                f"{where}: the stored draw of output '{name}' breaks its law: {words}"
            )


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
