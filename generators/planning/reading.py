"""Specs with the forms and families that they name, as the other modules use them."""

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
    """Every spec in a folder, by file name; BadInputError if one is unusable.

    Args:
        folder: folder of the specs.
        operators: names of the files to read (without their ending); empty means all.
    """
    return specs_in(folder, Vocabulary(tuple(all_forms()), add_families), operators)
