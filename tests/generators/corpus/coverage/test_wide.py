"""Limits that say next to nothing stand only where their spec says why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from limited_corpus import EXACT, LIMITED, limited_corpus
from sample_specs import changed, plan_sample

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.coverage.wide import says_little, wide_gaps, width_of
from onnx_conformance.generators.specs.wide import Wide

if TYPE_CHECKING:
    from pathlib import Path

ID = "exp-13/a/float32"
WHERE = "specs/exp.yaml:7"
ENTRY = 'wide:\n  - {ids: ["reshape-14/*"], width: 0.5, why: All is lost.}\n'


def entry(width: float = 0.5, ids: tuple[str, ...] = (ID,)) -> Wide:
    return Wide(ids, width, "Terms cancel.", WHERE)


def with_entry(text: str = ENTRY) -> str:
    return changed("requirements:\n", text + "requirements:\n")


@pytest.mark.parametrize(
    ("element_type", "width", "expected"),
    [
        ("float32", 0.021, True),
        ("float32", 0.02, False),
        ("bfloat16", 0.25, False),
        ("bfloat16", 0.26, True),
        ("float64", math.inf, True),
    ],
)
def test_limits_say_little_from_a_width_on_that_the_type_sets(
    element_type: str,
    width: float,
    expected: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    assert expected == says_little(element_type, width)


@pytest.mark.parametrize(
    ("widths", "entries", "words"),
    [
        ({ID: 0.5}, (), "specs/exp.yaml: the limits of exp-13/a/float32 are 0.5 of the largest"),
        ({ID: math.inf}, (entry(),), f"{WHERE}: the limits of {ID} are infinitely wide, and"),
        ({ID: 0.3}, (entry(),), f"{WHERE}: the limits of {ID} are 0.3 of the largest value wide"),
        ({}, (entry(),), f"{WHERE}: `wide` has {ID}, and no vector of that name"),
    ],
)
def test_what_is_not_as_the_spec_says_is_told(
    widths: dict[str, float], entries: tuple[Wide, ...], words: str
) -> None:
    (line,) = wide_gaps("specs/exp.yaml", entries, widths)
    assert line.startswith(words)


def test_a_pattern_is_as_wide_as_its_widest() -> None:
    widths = {ID: 0.5, "exp-13/b/float32": 0.25}
    assert [] == list(wide_gaps("specs/exp.yaml", (entry(ids=("exp-13/*",)),), widths))


@pytest.mark.parametrize(("limits", "expected"), [((4, 6), 0.4), ((5, 5), 0.0)])
def test_the_widest_range_of_a_vector_is_found(
    tmp_path: Path, limits: tuple[int, int], expected: float
) -> None:
    loaded = load(open_corpus(limited_corpus(tmp_path, limits)).entries[LIMITED])
    sets = data_sets_of(loaded.vector, loaded.files, loaded.location)
    assert expected == width_of(loaded.vector, sets)


def test_a_vector_without_limits_is_not_wide(tmp_path: Path) -> None:
    loaded = load(open_corpus(limited_corpus(tmp_path)).entries[EXACT])
    sets = data_sets_of(loaded.vector, loaded.files, loaded.location)
    assert 0.0 == width_of(loaded.vector, sets)


def test_an_entry_is_read(tmp_path: Path) -> None:
    (spec,) = plan_sample(tmp_path, with_entry()).specs
    (found,) = spec.wide
    assert (("reshape-14/*",), 0.5, "All is lost.") == (found.ids, found.width, found.why)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('["reshape-14/*"]', "[]", "ids or patterns are needed here; this list is empty"),
        ("0.5", "0", "a share above 0 is needed here, or .inf"),
        ("0.5", ".nan", "a share above 0 is needed here, or .inf"),
        (", why: All is lost.", "", "why"),
    ],
)
def test_what_is_no_entry_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        plan_sample(tmp_path, with_entry(ENTRY.replace(old, new)))
