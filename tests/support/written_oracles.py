"""Oracles that a test writes, registered while it runs."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import index
from onnx_conformance.generators.oracle import operators as operators_room
from onnx_conformance.generators.oracle.registry import registrations_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = """\
from onnx_conformance.generators.oracle import InvalidCallError, oracle
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, vector

"""


@contextmanager
def written_oracle(folder: Path, source: str, name: str = "written_by_a_test") -> Iterator[None]:
    """A module of oracles, found as those of the package are; it goes before them."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(HEAD + source, "utf-8")
    operators = re.findall(r'^@oracle\("(\w+)"', source, re.MULTILINE)
    others = {
        module: " ".join(item for item in listed.split() if item not in operators)
        for module, listed in index.MODULES.items()
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(operators_room, "__path__", [*operators_room.__path__, str(folder)])
            patch.setattr(index, "MODULES", {**others, name: " ".join(operators)})
            _forget()
            yield
    finally:
        sys.modules.pop(f"{operators_room.__name__}.{name}", None)
        _forget()


def _forget() -> None:
    index.module_of.cache_clear()
    registrations_of.cache_clear()
