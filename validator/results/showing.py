"""Models and inputs in words, short enough for a results file that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.limits import LISTED_VALUES
from onnx_conformance.core.values.describing import text

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import DataSet

_MODEL_LIMIT = 6000


def model_text(directory: Path, limit: int = _MODEL_LIMIT) -> str:
    """The text form of a vector's model (onnx.printer), cut to `limit` characters.

    If the model cannot be decoded, as intended in some invalid vectors, the text says so.
    """
    import onnx
    import onnx.printer

    try:
        model = onnx.load_model_from_string((directory / MODEL_FILE).read_bytes())
        shown = onnx.printer.to_text(model)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f"(the model cannot be shown: {reason})"
    return shown if len(shown) <= limit else shown[:limit] + "\n... (cut)"


def input_texts(data_set: DataSet) -> list[str]:
    """Each input of a data set on one line, e.g. `shape: int64[2] = 1, -1`."""
    return [f"{item.name}: {text(item.value)}" for item in data_set.inputs[:LISTED_VALUES]]
