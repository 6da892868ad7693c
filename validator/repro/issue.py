"""The Markdown that a person pastes into the issue tracker of a runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.text import cut, printable_line, visible

if TYPE_CHECKING:
    from .subject import Subject

ISSUE = "issue.md"
# GitHub accepts 65,536 characters in all.
LONGEST_OUTPUT = 8_000


@dataclass(frozen=True)
class Shown:
    """`repro.py`, and its result on this machine.

    Attributes:
        script: its full text, if it is one file; None if it is in an archive.
        archive: name of the archive to attach; empty if there is none.
        code: its exit code.
        output: what it printed.
    """

    script: str | None
    archive: str
    code: int
    output: str


def issue_text(subject: Subject, backend: str, shown: Shown) -> str:
    """The text of an issue: what is required, the script, and its output on this machine."""
    vector = subject.vector
    parts = [f"### {backend}: {printable_line(subject.heading)}", _STATES.get(shown.code, _BROKEN)]
    if subject.requirements:
        words = "\n".join(f"* {printable_line(item)}" for item in subject.requirements)
        parts.append(f"What the operator's document requires:\n\n{words}")
    if shown.script is None:
        parts.append(
            f"To reproduce: unpack the attached `{shown.archive}` and run `python repro.py`."
        )
    else:
        parts.append(f"To reproduce:\n\n{_fenced(shown.script, 'python')}")
    printed = visible(cut(shown.output.strip(), LONGEST_OUTPUT)) or "(nothing)"
    parts.append(f"It prints (exit code {shown.code}):\n\n{_fenced(printed, 'text')}")
    parts.append(f"Found with vector `{vector.id}` of onnx-conformance, corpus {subject.corpus}.")
    return "\n\n".join(parts) + "\n"


_STATES = {
    3: "The script below shows a departure from the operator's document.",
    0: "**The script below shows no fault here: the runtime does what is required.**",
}
_BROKEN = "**The script below could not show anything here: its output says why.**"


def _fenced(text: str, language: str) -> str:
    """A block of code; its fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
