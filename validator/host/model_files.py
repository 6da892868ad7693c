"""Models from archives as files, for harnesses that open them by path.

Each model is in a folder of its own while its vector is in use, with the data that it keeps beside
it, and without the outputs: what a harness could read there, it has been sent.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import DATA_FILE, MODEL_FILE, slug
from onnx_conformance.core.errors import cannot_write

if TYPE_CHECKING:
    from collections.abc import Mapping


class ModelFiles:
    """Writes models, and removes each when its vector has its verdict. `close` removes all."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._written: dict[str, Path] = {}

    def path(self, vector_id: str, files: Mapping[str, bytes]) -> str:
        """The path of the model of a vector with these files.

        Raises CannotWriteError if the disk is full, BadInputError if it cannot be written.
        """
        if vector_id in self._written:
            return str(self._written[vector_id] / MODEL_FILE)
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(
                    prefix="onnx-validate-", ignore_cleanup_errors=True
                )
            folder = Path(self._folder.name) / slug(vector_id)
            folder.mkdir()
            self._written[vector_id] = folder
            for name in (MODEL_FILE, *beside(files)):
                (folder / name).write_bytes(files[name])
        except OSError as error:
            raise cannot_write(error.filename or "the model of a vector", error) from None
        return str(folder / MODEL_FILE)

    def remove(self, vector_id: str) -> None:
        """Remove the model of a vector, if it was written."""
        folder = self._written.pop(vector_id, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        self._written.clear()


def beside(files: Mapping[str, bytes]) -> list[str]:
    """The names of the files that a model keeps beside it, such as external data."""
    return [name for name in files if "/" not in name and name not in (MODEL_FILE, DATA_FILE)]
