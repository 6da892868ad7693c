from __future__ import annotations

import time

import pytest

from onnx_conformance.core.corpus.patterns import (
    IdIndex,
    PatternError,
    check_pattern,
    is_pattern,
    near,
)

IDS = (
    "shape-13/clip_start/float32",
    "shape-15/clip_start/float32",
    "shape-15/clip_start/float32.initializer",
    "shape-15/clip_end/int8",
    "reshape-14/zero_dim/float32",
    "reshape-14/zero_dim_last/float32",
)


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [
        ("shape-15/clip_start/float32", (1,)),
        ("reshape-14/*", (4, 5)),
        ("reshape-14", (4, 5)),
        ("reshape-14/", (4, 5)),
        ("*/clip_start/*", (0, 1, 2)),
        ("*/clip_start", (0, 1, 2)),
        ("*/*/float32", (0, 1, 4, 5)),
        ("*/zero_dim", (4,)),
        ("*/zero_*", (4, 5)),
        ("shape-1?/clip_end/int8", (3,)),
        ("shape-1[35]/clip_start/float32", (0, 1)),
        ("shape-1[!3]/clip_start/float32", (1,)),
        ("Reshape-14/*", (4, 5)),
        ("shape*", (0, 1, 2, 3)),
        ("*", (0, 1, 2, 3, 4, 5)),
        ("*/float32", ()),
        ("shape-1", ()),
        ("shape", (0, 1, 2, 3)),
        ("Shape/", (0, 1, 2, 3)),
        ("shape/*/int8", (3,)),
        ("reshape/zero_dim", (4,)),
        ("resh", ()),
        ("shape-15/clip_start/float32/*", ()),
        ("shape.15/*", ()),
    ],
)
def test_a_pattern_is_matched_component_by_component(pattern: str, taken: tuple[int, ...]) -> None:
    assert tuple(IDS[index] for index in taken) == IdIndex(IDS).matching(pattern)


def test_a_star_does_not_cross_a_slash() -> None:
    assert () == IdIndex(IDS).matching("shape*float32")


def test_an_unclosed_bracket_is_an_ordinary_character() -> None:
    assert ("a[b/c/d",) == IdIndex(["a[b/c/d"]).matching("a[b/*")


def test_only_wildcards_make_a_pattern() -> None:
    assert [False, True, True, True] == [is_pattern(text) for text in ("a/b.c", "a/*", "?", "[a]")]


def test_a_pattern_that_takes_nothing_is_explained_by_its_first_wrong_component() -> None:
    expected = "nothing below 'shape-15' is called 'clip_strat'; did you mean clip_start?"
    assert expected == IdIndex(IDS).explain("shape-15/clip_strat/float32")


def test_a_pattern_of_all_versions_is_explained_below_them() -> None:
    expected = "nothing below 'shape-[0-9]*' is called 'clip_strat'; did you mean clip_start?"
    assert expected == IdIndex(IDS).explain("shape/clip_strat")


def test_a_pattern_that_is_wrong_at_its_start_offers_what_there_is() -> None:
    expected = "nothing is called 'transpose-1'; there are shape-13, shape-15, reshape-14"
    assert expected == IdIndex(IDS).explain("transpose-1/*")


def test_near_says_that_there_are_more_names_than_it_shows() -> None:
    assert "; there are a, b ..." == near("zzzz", ["a", "b", "c"], most=2)


@pytest.mark.parametrize("pattern", ["[z-a]", "a/[z-a]*/b", "*[b-a]"])
def test_range_that_takes_nothing_is_explained(pattern: str) -> None:
    with pytest.raises(PatternError, match="is no pattern: bad character range"):
        IdIndex(IDS).matching(pattern)


def test_many_stars_take_no_time() -> None:
    index = IdIndex([f"{'a' * 100}{number}/x/y" for number in range(100)])
    began = time.process_time()
    assert () == index.matching("*a" * 60 + "b")
    assert () == index.matching("*" * 400 + "b")
    assert 100 == len(index.matching("*a" * 60 + "*"))
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("a*b*c", "a-b-b-c", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("*ab*b", "aab", False),
        ("*ab*b", "aabb", True),
        ("*[ab]?*c", "xaxc", True),
        ("*[ab]?*c", "xac", False),
        ("**", "anything", True),
    ],
)
def test_stars_take_what_they_always_took(pattern: str, text: str, *, fits: bool) -> None:
    assert fits == bool(IdIndex([text]).matching(pattern))


def test_pattern_longer_than_any_id_is_refused_at_once() -> None:
    with pytest.raises(PatternError, match="has 1,000,000 characters; an id has at most 500"):
        check_pattern("a" * 1_000_000)


@pytest.mark.parametrize("pattern", ["s*-1?/*", "*/c*/int8", "*/clip", "s*/c[lm]*", "*", "t*"])
def test_the_order_of_the_ids_is_kept_however_they_are_found(pattern: str) -> None:
    # The vectors of a version need not be together.
    ids = [
        f"{version}/{case}/{element}"
        for element in ("int8", "float32")
        for case in ("clip", "cmp", "zero")
        for version in ("size-13", "shape-15", "shape-1")
    ]
    index = IdIndex(ids)
    expected = tuple(item for item in ids if IdIndex([item]).matching(pattern))
    assert expected == index.matching(pattern) == index.matching(pattern)
