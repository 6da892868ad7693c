"""Whether an answer is one of those that are permitted, compared as the validator's judge would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, Result

from ..deadlines import deadline
from ..interfaces import Answer
from .judged_vectors import first_reading
from .question import Question


def differs(question: Question, answer: Answer, seconds: float) -> bool:
    """Whether an answer is none of those that are permitted, or does not come in some seconds."""
    try:
        with deadline(seconds):
            result: Result | None = first_reading(answer, question.call)
    except InvalidCallError:
        result = None
    except Exception:
        # Refusing by stumbling is refusing; anything else is wrong.
        return None not in question.permitted
    if any(result is permitted for permitted in question.permitted):
        return False  # the oracle's own, or a refusal
    try:
        return not any(
            same_results(question, permitted, result) for permitted in question.permitted
        )
    except Exception:
        return True  # what cannot even be encoded


def same_results(question: Question, permitted: Result | None, got: Result | None) -> bool:
    """Whether two results are the same, or both are refusals."""
    if permitted is None or got is None:
        return permitted is None and got is None
    if len(permitted) != len(got):
        return False
    return all(_same_output(question, *pair) for pair in zip(permitted, got, strict=True))


def _same_output(question: Question, permitted: Any, got: Any) -> bool:  # noqa: ANN401  any output
    if isinstance(permitted, Grid):
        return _same_grid(question, permitted, got)
    if isinstance(got, Grid):
        got = tensor_of(got)
    if isinstance(permitted, Tensor) and isinstance(got, Tensor):
        if (permitted.type, permitted.shape) != (got.type, got.shape):
            return False
        return permitted.data == got.data or grid_of(permitted).items == grid_of(got).items
    same: bool = permitted == got
    return same


def _same_grid(question: Question, permitted: Grid, got: Any) -> bool:  # noqa: ANN401  any output
    if not isinstance(got, (Grid, Tensor)):
        return False
    if (got.type, got.shape) != (permitted.type, permitted.shape):
        return False
    if isinstance(got, Grid):
        if all(map(_is_exactly, permitted.items, got.items)):
            return True
        got = tensor_of(got)
    nearest = question.nearest.get(id(permitted))
    if nearest is None:
        nearest = grid_of(tensor_of(permitted)).items
        question.nearest[id(permitted)] = nearest
    pairs = zip(permitted.items, nearest, grid_of(got).items, strict=True)
    return all(_same_item(got.type, item, own, number) for item, own, number in pairs)


def _is_exactly(item: Any, other: Any) -> bool:  # noqa: ANN401  elements
    return type(item) is type(other) and bool(item == other)


def _same_item(name: str, item: Any, nearest: Any, got: Any) -> bool:  # noqa: ANN401  elements
    """Whether a number is permitted, which it mostly is as the nearest one."""
    same = got == nearest and type(got) is type(nearest)
    return same or accepts(name, item, got)


def told(call: Call) -> str:
    """A call in one line, for a spec's author to make a case of."""
    from onnx_conformance.core.values.describing import text

    parts = [f"version {call.since_version}"]
    for name, value in call.inputs.items():
        values: Sequence[Any] = value if isinstance(value, tuple) else (value,)
        parts.append(f"{name} = {'; '.join(text(item) for item in values)}")
    for name, content in call.attributes.items():
        shown = content if isinstance(content, (int, float, str, tuple)) else type(content).__name__
        parts.append(f"{name}: {shown}")
    return ", ".join(parts)
