"""Specs as the rest of the generators take them: with the forms and families that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families.reading import add_families
from ..forms import all_forms
from ..specs.reading import Vocabulary, specs_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..specs.model import CorpusFacts, Spec


def read_specs(folder: Path, operators: Sequence[str] = ()) -> tuple[CorpusFacts, tuple[Spec, ...]]:
    """Every spec in a folder, by file name; BadInputError where one is unusable.

    Args:
        folder: of the specs.
        operators: names of files (without their ending) that are read alone; all where empty.
    """
    return specs_in(folder, Vocabulary(tuple(all_forms()), add_families), operators)
