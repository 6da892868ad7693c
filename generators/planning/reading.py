"""Specs with the forms and families that they name, as the other modules use them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..families.reading import add_families
from ..forms import all_forms
from ..specs.reading import Vocabulary, specs_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..families.reading import Settled
    from ..specs.model import CorpusFacts, Spec


def read_specs(
    folder: Path, operators: Sequence[str] = (), settled: Settled | None = None
) -> tuple[CorpusFacts, tuple[Spec, ...]]:
    """Every spec in a folder, by file name; BadInputError if one is unusable.

    Args:
        folder: folder of the specs.
        operators: names of the files to read (without their ending); empty means all.
        settled: which cases the corpus has; None if nothing is listed.
    """
    families = partial(add_families, settled=settled)
    return specs_in(folder, Vocabulary(tuple(all_forms()), families), operators)
