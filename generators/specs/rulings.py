"""`specs/rulings.yaml`: what people decided about vectors: withdrawn, corrected, declined."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.corpus.listing.releases import is_release
from onnx_conformance.core.corpus.patterns import IdIndex, pattern_in
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

RULINGS_FILE = "rulings.yaml"
WITHDRAWN, CORRECTED, DECLINED = "withdrawn", "corrected", "declined"
# The key with the words of a ruling.
_WORDS = {WITHDRAWN: "reason", CORRECTED: "ruling", DECLINED: "reason"}


@dataclass(frozen=True)
class Ruling:
    """A decision about some vectors.

    Attributes:
        ids: their ids, or patterns of them.
        words: the reason, or the ruling.
        where: `file:line`: messages about it begin with this.
        release: the release of the corpus in which it takes effect; None for what was declined.
    """

    ids: tuple[str, ...]
    words: str
    where: str
    release: str | None = None


@dataclass(frozen=True)
class Rulings:
    """All decisions, in the order of the file.

    Attributes:
        withdrawn: vectors that the corpus no longer has from a release on.
        corrected: vectors with another expected value, or other bytes, from a release on.
        declined: what rules propose and people did not take.
    """

    withdrawn: tuple[Ruling, ...] = ()
    corrected: tuple[Ruling, ...] = ()
    declined: tuple[Ruling, ...] = ()


def read_rulings(specs: Path, releases: Collection[str] | None = None) -> Rulings:
    """The rulings beside the specs of a folder; none if it has no such file.

    Args:
        specs: the folder of the specs.
        releases: the versions that a ruling may name: those that were released, and the next one;
            None means any.

    Raises BadInputError, with file and line, for anything else than rulings.
    """
    path = specs / RULINGS_FILE
    if not path.is_file():
        return Rulings()
    document = read_yaml(path).mapping(optional=(WITHDRAWN, CORRECTED, DECLINED))
    found = {
        key: tuple(_ruling(item, key, releases) for item in node.sequence())
        for key, node in document.items()
    }
    return Rulings(**found)


def _ruling(node: Node, key: str, releases: Collection[str] | None) -> Ruling:
    words = _WORDS[key]
    document = node.mapping(
        required=("ids", words, *(() if key == DECLINED else ("release",))), optional=()
    )
    ids = tuple(pattern_in(item) for item in document["ids"].sequence())
    if not ids:
        raise document["ids"].error("ids or patterns are needed here; this list is empty")
    release = None
    if key != DECLINED:
        release = document["release"].string()
        if not is_release(release):
            raise document["release"].error(f"'{release}' is no version, such as \"0.2.0\"")
        if releases is not None and release not in releases:
            known = ", ".join(releases)
            raise document["release"].error(f"unknown release '{release}'; there are {known}")
    return Ruling(ids, document[words].string(), node.where, release)


def taken_by(rulings: Iterable[Ruling], ids: Iterable[str]) -> Mapping[str, Ruling]:
    """The ruling on each of these ids that one matches: the first of them."""
    index = IdIndex(ids)
    found: dict[str, Ruling] = {}
    for ruling in rulings:
        for pattern in ruling.ids:
            for vector_id in index.matching(pattern):
                found.setdefault(vector_id, ruling)
    return found


def without_effect(rulings: Iterable[Ruling], ids: Iterable[str]) -> Iterator[str]:
    """A line for each pattern of rulings that matches none of these ids."""
    index = IdIndex(ids)
    for ruling in rulings:
        for pattern in ruling.ids:
            if not index.matching(pattern):
                yield f"{ruling.where}: {index.explain(pattern)}"
