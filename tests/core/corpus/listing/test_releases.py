"""Releases of the corpus: their order, what was in each, and the list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.corpus.listing.releases import (
    RELEASES_FILE,
    Release,
    digest_of_release,
    digest_then,
    read_releases,
    release_key,
    releases_content,
)
from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path

FIRST = Release("0.2.0", "2026-11-23", 2, "ab" * 32)
EARLIER = '"0.2.0": {"date": "2026-11-23", "count": 1, "digest": ""}'
LATER = Release("0.10.0", "2027-02-01", 3, "cd" * 32)


def test_versions_stand_in_the_order_of_their_numbers() -> None:
    assert ["0.2.0", "0.9.1", "0.10.0", "1.0.0"] == sorted(
        ["1.0.0", "0.10.0", "0.2.0", "0.9.1"], key=release_key
    )


@pytest.mark.parametrize("text", ["", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.x", "1.0.0 ", "-1.0.0"])
def test_what_is_no_version_has_no_place_in_their_order(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no version of the corpus, such as 0\.2\.0"):
        release_key(text)


@pytest.mark.parametrize(
    ("since", "was", "expected"),
    [
        ("0.2.0", {}, "now"),
        ("0.3.0", {}, "now"),
        ("0.3.1", {}, None),
        ("0.10.0", {}, None),
        (None, {}, "now"),
        ("0.2.0", {"0.2.0": "first"}, "now"),
        ("0.2.0", {"0.3.0": "first"}, "first"),
        ("0.2.0", {"0.4.0": "first"}, "first"),
        ("0.2.0", {"0.2.0": "first", "0.3.1": "second"}, "second"),
        ("0.2.0", {"0.10.0": "third", "0.9.0": "second", "0.2.0": "first"}, "second"),
    ],
)
def test_what_a_vector_was_in_release_0_3_0(
    since: str | None, was: dict[str, str], expected: str | None
) -> None:
    assert expected == digest_then(since, "now", was, "0.3.0")


def test_the_digest_of_a_release_depends_on_ids_and_digests_and_not_on_their_order() -> None:
    vectors = [("a-1/x/float32", "1"), ("b-1/x/float32", "2")]
    others = [("a-1/x/float32", "2"), ("b-1/x/float32", "1")]
    assert digest_of_release(vectors) == digest_of_release(reversed(vectors))
    assert digest_of_release(vectors) != digest_of_release(others)
    assert digest_of_release(vectors) != digest_of_release(vectors[:1])


def test_the_list_of_releases_comes_back_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / RELEASES_FILE).write_bytes(releases_content([LATER, FIRST]))
    assert (FIRST, LATER) == read_releases(tmp_path)


def test_a_folder_without_the_list_has_no_release(tmp_path: Path) -> None:
    assert () == read_releases(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not a list of releases: "),
        ("{}", "is not a list of releases: KeyError('releases')"),
        ('{"releases": []}', "'releases' must be an object"),
        ('{"releases": {"2": {}}}', "'2' is no version of the corpus"),
        ('{"releases": {"0.2.0": 1}}', "'0.2.0' must be an object"),
        ('{"releases": {"0.2.0": {"date": "today", "count": 1, "digest": ""}}}', "'date' must be"),
        ('{"releases": {"0.2.0": {"date": "2026-11-23", "count": 1}}}', "KeyError('digest')"),
        ('{"releases": {"0.2.0": {}, "0.2.0": {}}}', "'0.2.0' is there twice"),
        (
            releases_content([LATER]).decode().replace("\n }", f",{EARLIER}\n }}"),
            "releases are in the order of their versions",
        ),
    ],
)
def test_a_list_that_is_none_is_one_line_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / RELEASES_FILE
    path.write_text(text)
    with pytest.raises(BadInputError) as caught:
        read_releases(tmp_path)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: ")
    assert message in line
