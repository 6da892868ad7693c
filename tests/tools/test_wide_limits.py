"""The list of limits that say next to nothing: it may only become shorter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from limited_corpus import LIMITED, limited_corpus
from places import ROOT
from tools import wide_limits

from onnx_conformance.core.corpus.corpus import open_corpus

if TYPE_CHECKING:
    from pathlib import Path

STANDARD = ROOT / "vectors" / "standard"
KEY = "exp-13/a/float32 Y"


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
    assert expected == wide_limits.says_little(element_type, width)


@pytest.mark.parametrize(
    ("found", "listed", "words"),
    [
        ({KEY: 0.5}, {}, "limits as wide as 0.5 of the largest value say next to nothing"),
        ({KEY: math.inf}, {KEY: 0.5}, "limits are infinite wide, more than 0.5 as listed"),
        ({}, {KEY: 0.5}, "is listed and says something now; take its line out"),
    ],
)
def test_what_is_not_as_listed_is_told(
    found: dict[str, float], listed: dict[str, float], words: str
) -> None:
    (line,) = wide_limits.differences(found, listed)
    assert line.startswith(KEY)
    assert words in line


def test_what_is_as_listed_is_not_told() -> None:
    assert [] == list(wide_limits.differences({KEY: 0.5}, {KEY: 0.5}))


def test_narrow_limits_are_not_found(tmp_path: Path) -> None:
    corpus = open_corpus(limited_corpus(tmp_path, (5, 5)))
    assert LIMITED in corpus.entries
    assert [] == wide_limits.wide(corpus.entries.values())


def test_wide_limits_are_found(tmp_path: Path) -> None:
    corpus = open_corpus(limited_corpus(tmp_path))
    assert [(f"{LIMITED} shape", 0.4)] == wide_limits.wide(corpus.entries.values())


def test_the_list_is_of_vectors_of_the_corpus() -> None:
    listed = wide_limits.read_list(wide_limits.LIST.read_text("utf-8"))
    known = open_corpus(STANDARD).entries
    assert [] == [key for key in listed if key.split(" ")[0] not in known]
