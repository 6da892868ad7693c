"""What a baseline is about: the corpus, the selection, and how many of its vectors passed.

    corpus: "0.2.0"                       # version of the corpus that it was made with
    selection: {operators: [Reshape]}     # what was run; `all` for the whole corpus
    profile: {operators: [Reshape]}       # what the runtime claimed; absent: everything
    passed: 1204                          # the ratchet: how many of these passed

A baseline can be made green by listing more. `passed` tells when that has happened: a gate in which
far fewer vectors pass than when the baseline was written is red, until `baseline update` has
lowered the number, in words. Nothing is compared where another selection was run. So can it be by
claiming less: a profile that has shrunk is red until `baseline update` has put it down.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.text import one_line, printable_line
from onnx_conformance.core.yaml.nodes import Node

from ..profiles.profile import Profile
from ..profiles.reading import profile_in
from ..profiles.shrinking import shrunk
from ..profiles.writing import profile_on_a_line
from ..results.claimed import profile_in_header
from ..results.records import Header, Results

KEYS = ("corpus", "selection", "profile", "passed")
EVERYTHING = "all"
# The share of the vectors that passed which may be lost before the gate is red: a corpus withdraws
# a vector now and then. Of fewer than a hundred, none may be lost.
SHARE = 100
CLAIMS_LESS = "the runtime claims less"  # how a sentence on that begins
# The key of a selection that names an earlier release of the corpus.
AS_OF = "corpus_as_of"
_LONGEST = 80


@dataclass(frozen=True)
class About:
    """What a baseline was made of; what it does not say is None.

    Attributes:
        corpus: version of the corpus.
        selection: the options that selected vectors, by name; empty for the whole corpus.
        passed: how many of these vectors passed.
        where: `file:line` of `passed`, for messages.
        profile: what the runtime claimed; None also if it claimed everything.
    """

    corpus: str | None = None
    selection: Mapping[str, Any] | None = None
    passed: int | None = None
    where: str = ""
    profile: Profile | None = None

    def else_of(self, other: About) -> About:
        """This, with what it does not say taken from another."""
        return About(
            self.corpus if self.corpus is not None else other.corpus,
            self.selection if self.selection is not None else other.selection,
            self.passed if self.passed is not None else other.passed,
            self.where if self.passed is not None else other.where,
            self.profile if self.profile is not None else other.profile,
        )

    def is_of(self, selection: Mapping[str, Any] | None) -> bool:
        """Whether it is about this selection; one that says nothing is about the whole corpus."""
        return _comparable(self.selection) == _comparable(selection)


def about_in(keys: Mapping[str, Node]) -> About:
    """What the keys of a baseline say."""
    corpus = keys.get("corpus")
    passed = keys.get("passed")
    return About(
        # 0.2 is a number in YAML; its text is the version.
        None if corpus is None else _version(corpus),
        _selection(keys["selection"]) if "selection" in keys else None,
        None if passed is None else passed.integer(0),
        "" if passed is None else passed.where,
        profile_in(keys["profile"]) if "profile" in keys else None,
    )


def _version(node: Node) -> str:
    return node.text if node.kind in ("integer", "float") else node.string()


def _selection(node: Node) -> Mapping[str, Any]:
    if node.kind == "string":
        node.one_of((EVERYTHING,), "selection")
        return {}
    node.mapping()
    chosen: dict[str, Any] = node.plain()
    return chosen


def about_results(results: Results) -> About:
    """What a baseline made of these results is about."""
    version = one_line(printable_line(results.header.corpus.get("version", "")), _LONGEST)
    passed = sum(row.passed for row in results.rows)
    # What was in an earlier release is a run of that release.
    selection = dict(selection_of(results.header))
    version = str(selection.pop(AS_OF, version))
    return About(
        version or None,
        selection,
        passed,
        profile=profile_in_header(results.header),
    )


def selection_of(header: Header) -> Mapping[str, Any]:
    """The options that selected the vectors of a run, whatever its shard."""
    asked = header.extra.get("selection") or {}
    return {key: value for key, value in asked.items() if key != "shard"}


def as_of_baseline(selection: Mapping[str, Any], about: About) -> Mapping[str, Any]:
    """The selection without `--corpus-as-of`, if that names the corpus of the baseline."""
    if about.corpus is None or selection.get(AS_OF) != about.corpus:
        return selection
    return {key: value for key, value in selection.items() if key != AS_OF}


def selection_in_words(selection: Mapping[str, Any] | None) -> str:
    """A selection for sentences: `operators: Reshape`, or `the whole corpus`."""
    parts = [f"{name}: {_items(value)}" for name, value in (selection or {}).items()]
    return one_line("; ".join(parts), 200) or "the whole corpus"


def about_lines(about: About) -> list[str]:
    """The lines that a baseline has for this."""
    values = {key: getattr(about, key) for key in KEYS}
    return [f"{key}: {rendered(key, value)}" for key, value in values.items() if value is not None]


def rendered(key: str, value: Any) -> str:  # noqa: ANN401  of any of the keys
    """The value of one of the keys, as YAML."""
    if key == "profile":
        return profile_on_a_line(value)
    if key != "selection":
        return json.dumps(value)
    # JSON on one line is YAML.
    parts = [f"{name}: {json.dumps(item, ensure_ascii=False)}" for name, item in value.items()]
    return f"{{{', '.join(parts)}}}" if parts else EVERYTHING


def _items(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _comparable(selection: Mapping[str, Any] | None) -> dict[str, object]:
    return {
        name: sorted(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in (selection or {}).items()
    }


# --- the ratchet ---------------------------------------------------------------------------


def sunk(
    about: About, selection: Mapping[str, Any], passed: int, flaky: int, *, whole: bool
) -> str:
    """Why the number of vectors that passed turns the gate red; empty if it does not.

    Args:
        about: what the baseline says.
        selection: what was selected.
        passed: how many vectors passed.
        flaky: how many did not pass, and are listed as flaky.
        whole: whether all of the selection was run, and no shard of it alone.
    """
    if not passed:
        return (
            "nothing passed: a gate in which every vector fails as listed cannot tell a runtime"
            " from one that is not there"
        )
    if about.passed is None or not whole or not about.is_of(selection):
        return ""
    if passed + flaky >= about.passed - about.passed // SHARE:
        return ""
    return (
        f"{about.where}: {about.passed:,} vectors passed when the baseline was written, and"
        f" {passed:,} do now; if that is right, lower the number with `onnx-validate baseline"
        " update`"
    )


def claims_less(about: About, profile: Profile | None) -> str:
    """Why a profile that has shrunk turns the gate red; empty if it has not.

    A baseline that keeps neither a profile nor a number of passes says nothing of what was claimed.
    """
    if about.profile is None and about.passed is None:
        return ""
    lost = shrunk(about.profile, profile)
    if not lost:
        return ""
    return (
        f"{CLAIMS_LESS} than when the baseline was written: no longer"
        f" {'; '.join(lost)}; if that is right, acknowledge it with `onnx-validate baseline update`"
    )


def of_another_selection(about: About, selection: Mapping[str, Any]) -> str:
    """A remark for people that how many passed is not compared; empty if it is, or is not kept."""
    if about.passed is None or about.is_of(selection):
        return ""
    return (
        f"the baseline is about {selection_in_words(about.selection)}, this is a run of"
        f" {selection_in_words(selection)}: how many passed is not compared"
    )
