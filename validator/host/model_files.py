"""Models as files, for harnesses that open them by path.

Each model is there while its vector is in use, without the vector's outputs: what a harness could
read there, it has been sent. A model that keeps data beside it is with them in a folder of its own;
the others are files in one folder, as making and removing a folder takes longer than a vector.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

from onnx_conformance.core.corpus.vectors import DATA_FILE, MODEL_FILE, slug
from onnx_conformance.core.errors import cannot_write

_NAME = 100  # characters by which a person knows the vector


class ModelFiles:
    """Writes models, and removes each when its vector has its verdict. `close` removes all."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._folder = ""
        self._removal: weakref.finalize[..., ModelFiles] | None = None
        self._written: dict[str, str] = {}
        self._count = 0

    def path(self, vector_id: str, files: Mapping[str, bytes]) -> str:
        """The path of the model of a vector with these files.

        Raises CannotWriteError if the disk is full, BadInputError if it cannot be written.
        """
        if vector_id in self._written:
            return self._written[vector_id]
        data = beside(files)
        try:
            if not self._folder:
                self._folder = tempfile.mkdtemp(prefix="onnx-validate-")
                self._removal = weakref.finalize(
                    self, shutil.rmtree, self._folder, ignore_errors=True
                )
            self._count += 1  # two ids may have one slug, and an id may be longer than a name
            path = f"{self._folder}/{slug(vector_id)[:_NAME]}-{self._count}"
            if data:
                os.mkdir(path)  # noqa: PTH102  this runs for every vector, and pathlib is slow
                path = f"{path}/{MODEL_FILE}"
            else:
                path = f"{path}.onnx"
            self._written[vector_id] = path
            folder = os.path.dirname(path)  # noqa: PTH120  as above
            for place, name in ((path, MODEL_FILE), *((f"{folder}/{name}", name) for name in data)):
                with open(place, "wb") as stream:  # noqa: PTH123  as above
                    stream.write(files[name])
        except OSError as error:
            raise cannot_write(error.filename or "the model of a vector", error) from None
        return path

    def remove(self, vector_id: str) -> None:
        """Remove the model of a vector, if it was written."""
        path = self._written.pop(vector_id, None)
        if path is None:
            return
        if path.endswith(f"/{MODEL_FILE}"):
            shutil.rmtree(Path(path).parent, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108  as above

    def close(self) -> None:
        """Remove everything."""
        if self._removal is not None:
            self._removal()
        self._folder, self._removal = "", None
        self._written.clear()


def beside(files: Mapping[str, bytes]) -> list[str]:
    """The names of the files that a model keeps beside it, such as external data."""
    return [name for name in files if "/" not in name and name not in (MODEL_FILE, DATA_FILE)]
