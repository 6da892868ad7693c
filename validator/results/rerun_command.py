"""The command line that runs one vector of a results file again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.systems import command_line, quoted
from onnx_conformance.core.text import one_line

if TYPE_CHECKING:
    from .records import Header


def reproducing_command(header: Header, vector_id: str) -> str:
    """The command that runs one vector alone, ready to be pasted into a shell.

    `header.extra["arguments"]` holds the options that a run needs beside the backend's name, as a
    list of words (e.g. `["--vectors", "build/vectors"]`).
    """
    backend = str(header.extra.get("backend", header.backend))
    words = ["onnx-validate", "run", "--backend", one_line(backend)]
    words += [one_line(str(word)) for word in header.extra.get("arguments", ())]
    # Ids are always quoted, even if no shell needs it: people change them into patterns.
    return f"{command_line(words)} {quoted(one_line(vector_id), always=True)}"
