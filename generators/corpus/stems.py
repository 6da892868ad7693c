"""Names of spec files, and the operators that they are about, without reading the specs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

from ..specs.reading import spec_files
from ..whole_models.reading import model_spec_file, model_spec_files

_NAMED = re.compile(r"^(operator|subject|domain): *([\w.]+) *$", re.MULTILINE)
_NEWEST = 100  # greater than any operator version


def all_stems(specs: Path) -> tuple[str, ...]:
    """The names of all spec files, those of whole models last; BadInputError if there are none."""
    _, paths = spec_files(specs)
    return tuple(path.stem for path in (*paths, *model_spec_files(specs)))


def stems_for(specs: Path, stems: Iterable[str], selection: Sequence[str]) -> tuple[str, ...]:
    """The names of the spec files with vectors that a pattern may match; all without a pattern.

    Only the line of a spec that names its operator is read; if it cannot be found, the spec is
    included.
    """
    first = {pattern.lower().strip("/").partition("/")[0] for pattern in selection}
    return tuple(
        stem
        for stem in stems
        if not selection or any(_may_begin(item, slug_in(specs, stem)) for item in first)
    )


def _may_begin(component: str, slug: str | None) -> bool:
    """Whether a pattern's first component can match the id of some version."""
    return slug is None or any(
        fnmatchcase(f"{slug}-{number}", component) for number in range(1, _NEWEST)
    )


def require_own_stems(specs: Path) -> None:
    """Raise BadInputError if two specs are about one operator."""
    seen: dict[str | None, str] = {}
    for stem in all_stems(specs):
        slug = slug_in(specs, stem)
        first = seen.setdefault(slug, stem)
        if slug is not None and first != stem:
            raise BadInputError(
                f"{specs / stem}.yaml: operator '{slug}' has a spec in {specs / first}.yaml"
            )


def slug_in(specs: Path, stem: str) -> str | None:
    """The beginning of a spec's ids; None if its file does not give it on one line."""
    path = model_spec_file(specs, stem) or specs / f"{stem}.yaml"
    # What is no UTF-8 is refused where the spec is read, with its line.
    names = dict(_NAMED.findall(path.read_text("utf-8", "replace")))
    operator = names.get("operator") or names.get("subject")
    if operator is None:
        return None
    return f"{names['domain']}.{operator}".lower() if "domain" in names else operator.lower()
