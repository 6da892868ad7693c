"""Models and inputs in words, short enough for a results file that people read."""

from __future__ import annotations

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.limits import LISTED_VALUES
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.describing import text

_MODEL_LIMIT = 6000
_REASON_LIMIT = 300


def model_words(content: bytes | None, limit: int = _MODEL_LIMIT) -> str:
    """The text form of a serialized model (onnx.printer), cut to `limit` characters.

    If the model cannot be decoded, as intended in some invalid vectors, the text says so; also if
    it is None, as it could not be read.
    """
    if content is None:
        return "(the model cannot be shown: its file cannot be read)"
    import onnx
    import onnx.printer

    try:
        shown = onnx.printer.to_text(onnx.load_model_from_string(content))
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f"(the model cannot be shown: {one_line(reason, _REASON_LIMIT)})"
    return shown if len(shown) <= limit else shown[:limit] + "\n... (cut)"


def input_texts(data_set: DataSet) -> list[str]:
    """Each input of a data set on one line, e.g. `shape: int64[2] = 1, -1`."""
    return [f"{item.name}: {text(item.value)}" for item in data_set.inputs[:LISTED_VALUES]]
