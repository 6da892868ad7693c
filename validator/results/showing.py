"""Models and inputs in words, short enough for a results file that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.limits import LISTED_VALUES
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.describing import text

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import DataSet

_MODEL_LIMIT = 6000
_REASON_LIMIT = 300


def model_text(directory: Path, limit: int = _MODEL_LIMIT) -> str:
    """The model of a vector's directory in words, see `model_words`."""
    try:
        content = (directory / MODEL_FILE).read_bytes()
    except OSError as error:
        return _not_shown(error)
    return model_words(content, limit)


def model_words(content: bytes, limit: int = _MODEL_LIMIT) -> str:
    """The text form of a serialized model (onnx.printer), cut to `limit` characters.

    If the model cannot be decoded, as intended in some invalid vectors, the text says so.
    """
    import onnx
    import onnx.printer

    try:
        shown = onnx.printer.to_text(onnx.load_model_from_string(content))
    except Exception as error:
        return _not_shown(error)
    return shown if len(shown) <= limit else shown[:limit] + "\n... (cut)"


def _not_shown(error: Exception) -> str:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"(the model cannot be shown: {one_line(reason, _REASON_LIMIT)})"


def input_texts(data_set: DataSet) -> list[str]:
    """Each input of a data set on one line, e.g. `shape: int64[2] = 1, -1`."""
    return [f"{item.name}: {text(item.value)}" for item in data_set.inputs[:LISTED_VALUES]]
