"""The heading of a baseline, what it says of the run that it was made from, after an update."""

from __future__ import annotations

from dataclasses import dataclass

from onnx_conformance.core.text import quantity

from ..profiles.shrinking import shrunk
from .about import About, rendered, selection_in_words
from .editing import with_key, with_runtime
from .entries import Baseline
from .made_with import Runtime


@dataclass(frozen=True)
class Heading:
    """What the heading of a baseline says of its run, before and after an update.

    Attributes:
        baseline: the file before, with what it includes.
        ran, about: what the results say.
        not_run: how many listed vectors were not run.
        unlisted: how many failures stay unlisted.
    """

    baseline: Baseline
    ran: Runtime | None
    about: About | None
    not_run: int
    unlisted: int

    @property
    def _why_kept(self) -> str:
        """Why nothing may be changed; empty if it may."""
        if self.not_run:
            return f"{quantity(self.not_run, 'listed vector')} not run"
        return f"{quantity(self.unlisted, 'failure')} not listed" if self.unlisted else ""

    @property
    def _new_runtime(self) -> Runtime | None:
        """The runtime to be written, if another one is named, or none."""
        listed = self.baseline.made_with
        known = self.ran is None or (listed is not None and listed.takes(self.ran))
        return None if known else self.ran

    def _new_keys(self) -> dict[str, tuple[str, str]]:
        """Each key of `about` that must change: its value, and the change in words."""
        before, now = self.baseline.about, self.about
        if now is None or not before.is_of(now.selection):
            return {}
        found = {}
        if now.profile is not None and now.profile != before.profile:
            lost = shrunk(before.profile, now.profile)
            less = f"CLAIMS LESS: no longer {'; '.join(lost)}" if lost else "claims more"
            found["profile"] = (rendered("profile", now.profile), less)
        if now.corpus is not None and now.corpus != before.corpus:
            was = f", was {before.corpus}" if before.corpus else ""
            found["corpus"] = (rendered("corpus", now.corpus), f"is of corpus {now.corpus}{was}")
        if before.selection is None:
            words = f"is about {selection_in_words(now.selection)}"
            found["selection"] = (rendered("selection", now.selection), words)
        if now.passed is not None and now.passed != before.passed:
            found["passed"] = (rendered("passed", now.passed), _ratchet(before.passed, now.passed))
        return found

    @property
    def kept(self) -> str:
        """The sentence that what it says of the run stays as it was, and why; or empty."""
        why, listed = self._why_kept, self.baseline.made_with
        if not why:
            return ""
        if self._new_runtime is not None and listed:
            return f"it still says that it was made with {listed}: {why}"
        return ""

    def written(self, text: str, file: str) -> tuple[str, list[str]]:
        """The text with what is new, and a line for each change."""
        if self._why_kept:
            return text, []
        said = []
        runtime, listed = self._new_runtime, self.baseline.made_with
        if runtime is not None:
            text = with_runtime(text, file, runtime)
            said.append(f"made with {runtime}" + (f", was {listed}" if listed else ""))
        for key, (value, words) in self._new_keys().items():
            text = with_key(text, file, key, value)
            said.append(words)
        return text, said


def _ratchet(before: int | None, now: int) -> str:
    """The change of the number of vectors that must pass, in words."""
    if before is None:
        return f"{quantity(now, 'vector')} passed: a gate in which far fewer do is red"
    if now > before:
        return f"raised: {quantity(now, 'vector')} passed, {now - before:,} more than {before:,}"
    return f"LOWERED: {quantity(now, 'vector')} passed, {before - now:,} fewer than {before:,}"
