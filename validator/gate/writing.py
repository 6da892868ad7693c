"""Writing the entries of a baseline: as few and as readable as a person would list them.

The text is read back and compared with the intended entries before it is returned.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.requirements import Requirements
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import printable_line
from onnx_conformance.core.yaml.reading import parse_yaml

from ..judging.verdicts import Verdict
from ..results.cause_words import against
from ..results.causes import Cause, causes_of
from ..results.records import Results, Row
from .about import about_lines, about_results
from .defaults import Defaults, defaults_of
from .entries import VERDICTS, BaselineEntry, baseline_of
from .grouping import Grouper
from .made_with import KEY, Runtime, runtime_of
from .status import reruns_of

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


LONGEST_REASON = 200
EVERY_ID = "*"  # the pattern of a default
_PASSES = "passes here"

_HEADING = """\
# Known failures of {backend} on the ONNX conformance vectors {corpus}.
# Listed vectors are run all the same: one that passes, or fails in another way than listed,
# turns the gate red. `onnx-validate baseline update` removes what is stale.
{more}format: 1
"""
_OF_DEFAULTS = """\
# "*" is the default, and the others are exceptions to it: of several entries that fit a vector the
# most specific one counts, all of whose vectors the others fit as well.
"""


def initial(results: Results, corpus: Mapping[str, Entry], backend: str, version: str) -> str:
    """The text of a baseline that lists every failure of a run.

    Args:
        results: the verdicts, and the texts of the requirements that vectors cover.
        corpus: all vectors by id, including those that were not run.
        backend: name of the backend, for the heading.
        version: version of the corpus, for the heading.
    """
    entries = _fewest_lines(results, corpus)
    default = any(EVERY_ID in entry.patterns for entry in entries)
    heading = _HEADING.format(
        backend=printable_line(backend),
        corpus=printable_line(version),
        more=_OF_DEFAULTS if default else "",
    )
    ran = runtime_of(results.header.describe)
    if ran is not None:
        heading += runtime_line(ran) + "\n"
    heading += "".join(f"{line}\n" for line in about_lines(about_results(results)))
    text = heading + _render(entries)
    verify(text, "the new baseline", entries)
    return text


def _fewest_lines(results: Results, corpus: Mapping[str, Entry]) -> list[BaselineEntry]:
    """Entries for all failures: by cause, or as exceptions to defaults if that is shorter."""
    failing = [row for row in results.rows if not row.passed]
    plain = new_entries(failing, corpus, results.header.requirements)
    found = defaults_of(results.rows, corpus)
    if found is None:
        return plain
    nested = _with_defaults(found, corpus, results.header.requirements)
    return min((plain, nested), key=lambda entries: len(_render(entries).splitlines()))


def _with_defaults(
    found: Defaults, corpus: Mapping[str, Entry], requirements: Requirements
) -> list[BaselineEntry]:
    """The defaults, widest first, and then what is otherwise."""
    entries = []
    for place in sorted(found.of):
        operator, kind = place
        verdict = Verdict(found.of[place]).value
        pattern = f"{operator}-*/*" if operator else EVERY_ID
        reason = _PASSES if verdict == Verdict.PASS else _reason(found.following.get(place, ()))
        entries.append(BaselineEntry((pattern,), (verdict,), reason, kind=Kind(kind)))
    # A pattern must not cross a default: each place has its own.
    for rows in found.exceptions.values():
        entries += new_entries([row for row in rows if not row.passed], corpus, requirements)
        entries += passing_entries([row for row in rows if row.passed], corpus)
    return _put_together(entries)


def _put_together(entries: Iterable[BaselineEntry]) -> list[BaselineEntry]:
    """Entries that differ in nothing but their patterns as one, at the place of the first."""
    alike: dict[BaselineEntry, list[str]] = {}
    for entry in entries:
        alike.setdefault(replace(entry, patterns=()), []).extend(entry.patterns)
    return [replace(entry, patterns=tuple(patterns)) for entry, patterns in alike.items()]


def new_entries(
    rows: Sequence[Row], corpus: Mapping[str, Entry], requirements: Requirements
) -> list[BaselineEntry]:
    """Entries for failures: one for each cause, and one for each flaky vector."""
    for row in rows:
        if row.verdict not in VERDICTS:
            words = f" ({printable_line(row.message)})" if row.message else ""
            raise BadInputError(f"{row.id}: is {row.verdict}{words}; a baseline cannot list that")
    flaky = [row for row in rows if _flakes(row)]
    steady = [row for row in rows if not _flakes(row)]
    grouper = Grouper(corpus, [row.id for row in steady])
    place = {vector_id: number for number, vector_id in enumerate(corpus)}
    entries = [
        entry
        for cause in sorted(
            causes_of(steady, steady), key=lambda cause: min(place[item] for item in cause.ids)
        )
        for entry in _of_cause(cause, grouper, requirements)
    ]
    for row in flaky:
        failures = dict.fromkeys((row.verdict, *reruns_of(row)))
        failures.pop(Verdict.PASS, None)
        entries.append(BaselineEntry((row.id,), tuple(failures), _reason([row]), flaky=True))
    return entries


def runtime_line(runtime: Runtime) -> str:
    """The `runtime` line of a baseline, without its line end."""
    # Here a comma would end a scalar without quotes.
    name = json.dumps(runtime.name) if "," in runtime.name else quoted(runtime.name)
    return f"{KEY}: {{name: {name}, version: {json.dumps(runtime.version)}}}"


def _flakes(row: Row) -> bool:
    return bool(set(reruns_of(row)) - {row.verdict})


def _of_cause(
    cause: Cause, grouper: Grouper, requirements: Requirements
) -> Iterator[BaselineEntry]:
    """One entry for a cause, or one for each kind that its patterns are limited to."""
    reason = _without_places(against(cause.example, requirements)) or _reason(cause.rows)
    by_kind: dict[Kind | None, list[str]] = {}
    for found in grouper.group(dict.fromkeys(cause.ids, cause.verdict.value)):
        by_kind.setdefault(found.kind, []).append(found.pattern)
    for kind, patterns in by_kind.items():
        yield BaselineEntry(tuple(patterns), (cause.verdict.value,), reason, kind=kind)


def passing_entries(rows: Sequence[Row], corpus: Mapping[str, Entry]) -> list[BaselineEntry]:
    """Entries for vectors that pass although an included baseline lists them."""
    passing = {row.id: Verdict.PASS.value for row in rows}
    return [
        BaselineEntry((found.pattern,), (found.verdict,), _PASSES, kind=found.kind)
        for found in Grouper(corpus, passing).group(passing)
    ]


def _reason(rows: Sequence[Row]) -> str:
    """The messages of the runs, until a person writes something better."""
    words = Counter(_without_places(printable_line(row.message)) for row in rows if row.message)
    if not words:
        return "as found; not looked into yet"
    (first, _), *others = words.most_common()
    short = _short(first)
    if not others:
        return short
    return f"{short} (and {len(others)} other message{'s' if len(others) > 1 else ''})"


# A path from the root or a drive, whose last part stays; and an address in memory.
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:[\\/]|[\\/])(?:[^\s:'\"()<>,;\\/]+[\\/])+(?=[\w.])")
_ADDRESS = re.compile(r"\b0x[0-9A-Fa-f]{6,}\b")


def _without_places(words: str) -> str:
    """A message without what differs from machine to machine: folders, and addresses."""
    return _ADDRESS.sub("0x…", _PATH.sub("", words))


def _short(words: str) -> str:
    return words if len(words) <= LONGEST_REASON else words[: LONGEST_REASON - 3] + "..."


def _render(entries: Sequence[BaselineEntry], indentation: str = "  ") -> str:
    if not entries:
        return "entries: []\n"
    return "entries:\n" + "".join(render_entry(entry, indentation) for entry in entries)


def render_entry(entry: BaselineEntry, indentation: str) -> str:
    """The lines of an entry, each with its line end."""
    verdicts = entry.verdicts[0] if len(entry.verdicts) == 1 else f"[{', '.join(entry.verdicts)}]"
    if len(entry.patterns) == 1:
        lines = [f"- id: {quoted(entry.patterns[0])}"]
    else:
        lines = ["- ids:", *(f"    - {quoted(pattern)}" for pattern in entry.patterns)]
    if entry.kind:
        lines.append(f"  kind: {entry.kind}")
    lines += [
        f"  verdict: {verdicts}",
        f"  reason: {quoted(entry.reason)}",
    ]
    if entry.flaky:
        lines.append("  flaky: true")
    return "".join(f"{indentation}{line}\n" for line in lines)


_SAFE = re.compile(r"[A-Za-z][A-Za-z0-9 ,.;/()<>=+_'-]*[A-Za-z0-9.)*]")


def quoted(text: str) -> str:
    """A text as a YAML scalar: without quotes if every parser then reads the same text."""
    if _SAFE.fullmatch(text):
        try:
            if parse_yaml(text, "").value == text:
                return text
        except BadInputError:
            pass  # a word such as `off`: quotes make it a text
    # A JSON string of printable characters is a YAML double-quoted scalar.
    return json.dumps(text, ensure_ascii=False)


# --- reading back --------------------------------------------------------------------------


def verify(text: str, file: str, expected: Iterable[BaselineEntry]) -> None:
    """Raise BadInputError unless the written baseline has the intended entries, in any place."""
    try:
        found = baseline_of(parse_yaml(text, file)).entries
    except BadInputError as error:
        raise BadInputError(f"{error} (after the change; the file was left as it is)") from None
    if list(map(_content, found)) != list(map(_content, expected)):
        raise BadInputError(
            f"{file}: is written in a way that cannot be changed safely; it was left as it is."
            " Begin each entry on a line of its own, with '- id:'"
        )


def _content(entry: BaselineEntry) -> BaselineEntry:
    return replace(entry, file="", line=0, several=False)
