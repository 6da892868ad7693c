"""Moves a baseline to a newer corpus, and changes nothing else.

What was added since is taken in as it is found, what was withdrawn is removed with its reason.
Whatever else the results say stays for `update`: a commit that rolls a baseline tells of the corpus
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.corpus.listing.releases import is_release, release_key
from onnx_conformance.core.errors import UsageError
from onnx_conformance.core.text import quantity

from ..results.causes import causes_of
from ..results.records import Results
from .about import About, about_results, selection_in_words
from .entries import Baseline
from .newer import newer_headline
from .past import Past, newer_than
from .updating import Update, update


def require_rollable(baseline: Baseline, corpus: Corpus, results: Results) -> None:
    """UsageError if a baseline does not say from where it is to be moved, or cannot be moved."""
    about, now = baseline.about, about_results(results)
    if about.corpus is None or not is_release(about.corpus):
        raise UsageError(
            f"{baseline.file}: does not say which corpus it was made with: add a line such as"
            ' `corpus: "0.2.0"`'
        )
    if not is_release(corpus.version) or now.corpus != corpus.version:
        raise UsageError(
            f"the results are of corpus {now.corpus}, and the one at hand is {corpus.version}"
        )
    if release_key(corpus.version) < release_key(about.corpus):
        raise UsageError(
            f"{baseline.file}: is of corpus {about.corpus}, which is newer than {corpus.version}"
        )
    if not about.is_of(now.selection):
        raise UsageError(
            f"{baseline.file}: is about {selection_in_words(about.selection)}, and the results are"
            f" of {selection_in_words(now.selection)}: run what it is about"
        )


def rolled(text: str, baseline: Baseline, corpus: Corpus, results: Results) -> Update:
    """A baseline after it was moved to the corpus at hand.

    Args:
        text: the present text of the baseline.
        baseline: the same, read, with what it includes.
        corpus: the corpus at hand.
        results: a whole run of it, as `require_rollable` permits.
    """
    newer = newer_than(baseline.about.corpus, corpus.entries)
    past = Past(corpus.withdrawn, baseline.about.corpus)
    found = update(
        text,
        str(baseline.file),
        results.rows,
        corpus.entries,
        included=baseline.included,
        requirements=results.header.requirements,
        about=_about(baseline.about, corpus, results, newer),
        accept_new=True,
        only=newer.keys(),
        past=past,
    )
    if past.met:
        raise UsageError(f"{past.met[0]}; that file is included: roll it first")
    return Update(found.text, (*_headlines(newer, results), *found.changes))


def _about(before: About, corpus: Corpus, results: Results, newer: Mapping[str, str]) -> About:
    """What the baseline is about once it is moved: the claims stay, the ratchet never loosens.

    Of the vectors that passed before, only those can be missing that were withdrawn.
    """
    passed = sum(row.passed for row in results.rows)
    if before.passed is not None:
        made = release_key(str(before.corpus))
        lost = sum(made < release_key(item.release) for item in corpus.withdrawn.values())
        gained = sum(row.passed and row.id in newer for row in results.rows)
        passed = max(passed, before.passed + gained - lost)
    return replace(about_results(results), passed=passed, profile=before.profile)


def _headlines(newer: Mapping[str, str], results: Results) -> Iterator[str]:
    """How each release's vectors fare, for the message of the commit."""
    for release in sorted(set(newer.values()), key=release_key):
        rows = [row for row in results.rows if newer.get(row.id) == release]
        failing = [row for row in rows if not row.passed]
        causes = causes_of(failing, results.rows)
        if rows:
            yield newer_headline(release, len(rows) - len(failing), len(failing), len(causes))
        else:
            yield f"new in {release}: {quantity(0, 'vector')} of them was selected"
