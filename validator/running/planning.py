"""What a run will judge: the selected vectors, and the controls that rejections need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onnx_conformance.core.corpus.corpus import Corpus, Entry, read_metadata
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError


@dataclass(frozen=True)
class RunPlan:
    """The vectors of a run, in order.

    Attributes:
        entries: by id; a control comes before the vectors that need it.
        selected: how many of them were selected.
        added: controls that were not selected.
        control_of: the control of each planned vector that has one, if the corpus holds it.
    """

    entries: Mapping[str, Entry]
    selected: int
    added: tuple[str, ...]
    control_of: Mapping[str, str]


def make_plan(corpus: Corpus, selected: Sequence[Entry]) -> RunPlan:
    """Plan the selected vectors, with the control of each of them that has one."""
    control_of = controls_of(corpus, selected)
    asked = {entry.id: entry for entry in selected}
    controls = dict.fromkeys(control_of.values())
    added = tuple(control for control in controls if control not in asked)
    # Invalid vectors last: by then their controls have verdicts, or nearly.
    entries = {
        entry.id: entry
        for entry in (
            *(entry for entry in selected if entry.kind != Kind.INVALID),
            *(corpus.entries[control] for control in added),
            *(entry for entry in selected if entry.kind == Kind.INVALID),
        )
    }
    return RunPlan(entries, len(asked), added, control_of)


def controls_of(corpus: Corpus, selected: Sequence[Entry]) -> dict[str, str]:
    """The control of each invalid vector that has one in the corpus, by id."""
    found = {}
    for entry in selected:
        if entry.kind == Kind.INVALID:
            control = _control(entry)
            if control in corpus.entries:
                found[entry.id] = control
    return found


def _control(entry: Entry) -> str:
    if entry.facts is not None:
        return entry.facts.control or ""
    try:
        return read_metadata(entry).control or ""
    except (BadInputError, OSError):
        return ""  # it becomes `bad-vector` when its turn comes
