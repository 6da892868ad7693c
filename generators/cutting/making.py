"""An answered question as a vector with its files, like any other vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import (
    ELEMENT,
    RESULT,
    DataSet,
    Kind,
    Permitted,
    Vector,
    slug,
)
from onnx_conformance.core.models.uses import Use

from ..corpus.building import PLAIN_ATOL, PLAIN_RTOL, files_of
from ..corpus.described.limit_rules import accuracy_of

if TYPE_CHECKING:
    from .questions import Answered

FORM = "cut"
# For plain runners, which compare zeros with whatever is at positions that are not computed.
_ANYTHING = 1e30


@dataclass(frozen=True)
class CutVector:
    """A vector that was cut from a model.

    Attributes:
        vector: its metadata.
        files: all its files by path in its directory.
        use: the use that it is a vector of.
        shapes: `own`, or `reduced` where the model's own were too much for the oracle.
        answered: the node with its inputs and the oracle's answer.
    """

    vector: Vector
    files: Mapping[str, bytes]
    use: Use
    shapes: str
    answered: Answered


def cut_vector(  # noqa: PLR0913  what a vector says of its origin
    answered: Answered,
    use: Use,
    node: str,
    *,
    shapes: str,
    values: str,
    model: str,
    compared: Mapping[str, tuple[int, ...]] | None = None,
) -> CutVector:
    """The vector of an answered question.

    Args:
        answered: the node with the oracle's answer.
        use: its use.
        node: its name in the model.
        shapes: whose its shapes are.
        values: where its inputs come from.
        model: SHA-256 of the model's file.
        compared: positions by output, where the answer has zeros elsewhere.
    """
    types = dict(answered.types)
    label = "-".join(dict.fromkeys(types.values())) or "untyped"
    suffix = "" if values == "realistic" else f".{values}"
    suffix += ".sampled" if compared else ""
    vector_id = f"{use.operator_version}/{use.case}/{label}{suffix}"
    permitted = tuple(
        (
            Permitted(
                item.taken,
                item.reason,
                None if item.outputs is None else f"permitted_{index}",
                item.anything,
            ),
            item.outputs or (),
        )
        for index, item in enumerate(answered.reply.permitted)
    )
    kind = Kind.LATITUDE if permitted else Kind.VALID
    inputs = tuple(item for item, stored in answered.question.inputs if not stored)
    accuracy = accuracy_of(
        (*answered.outputs, *(value for _, values_of in permitted for value in values_of))
    )
    vector = Vector(
        id=vector_id,
        kind=kind,
        purpose=f"cut from node {node} of a model",
        operator=use.operator,
        domain=use.domain,
        since_version=use.since_version,
        opset=answered.question.imports[use.domain],
        ir_version=answered.question.ir_version,
        types=types,
        case=use.case,
        form=FORM,
        covers=(),
        documented=None,
        rtol=PLAIN_RTOL if accuracy and not compared else 0.0,
        atol=_ANYTHING if compared else PLAIN_ATOL if accuracy else 0.0,
        inputs=tuple(item.name for item in inputs),
        outputs=tuple(item.name for item in answered.outputs),
        permitted=tuple(item for item, _ in permitted),
        permitted_by=ELEMENT if permitted else RESULT,
        accuracy=accuracy,
        compared=compared or {},
        extra={"cut": {"model": model, "node": node, "shapes": shapes, "values": values}},
    )
    answered.model.graph.name = slug(vector_id)
    content = answered.model.SerializeToString(deterministic=True)
    data_sets = (DataSet(inputs, answered.outputs),)
    files = files_of(vector, content, data_sets, permitted)
    return CutVector(vector, files, use, shapes, answered)
