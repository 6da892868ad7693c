"""JUnit XML, as CI servers read it: a suite for each backend and operator version.

JUnit has no schema of its own. This output is valid by both schemas that are in use: the one of
Apache Ant's tasks (windyroad/JUnit-Schema) and the one of Jenkins (xunit-plugin, junit-10.xsd).

| verdict                            | without a baseline | with one                          |
|------------------------------------|--------------------|-----------------------------------|
| pass                               | passed             | passed; failure where it is stale |
| wrong-…, rejected, accepted-…      | failure            | skipped where listed as such      |
| crashed, timed-out, protocol-error | error              | skipped where listed as such      |
| unsupported, inconclusive          | skipped            | failure unless listed             |
| none, or nothing was judged        | error              | error                             |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from onnx_conformance.core.text import one_line, visible

from ..gate.marks import Mark, Marks, alarms_of
from ..results.cause_words import others_in_words
from ..results.causes import causes_of
from ..results.changes import NO_VERDICT
from ..results.lost_children import lost_children
from ..results.records import Results, Row
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message
from .facts.completeness import notes
from .facts.tally import (
    CRASHED,
    FAIL,
    INCONCLUSIVE,
    UNJUDGED,
    UNSUPPORTED,
    failing_rows,
    group_of,
    missing_by_version,
    rows_by_version,
)
from .payload import repeats_message

_CHILDREN = "children"
_GATE = "gate"
_IN_COMPANY = "in_company"
_STDERR_LIMIT = 4_000
# XML 1.0 cannot represent these characters; `visible` has replaced all but the first few.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Sequence[Results], marks: Mapping[str, Marks] | None = None) -> str:
    """The XML document, ending with a newline; the arguments are those of `parts`."""
    return "".join(parts(results, marks))


def parts(results: Sequence[Results], marks: Mapping[str, Marks] | None = None) -> Iterator[str]:
    """The XML document suite by suite: as a whole it may be larger than the results.

    Args:
        results: one for each backend.
        marks: the gate's marks by backend, if there was a gate.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    suites = (
        suite for item in results for suite in _suites(item, (marks or {}).get(item.header.backend))
    )
    for number, suite in enumerate(suites):
        suite.set("id", str(number))
        ET.indent(suite, " ", level=1)
        yield f" {ET.tostring(suite, 'unicode')}\n"
    yield "</testsuites>\n"


def _suites(results: Results, marks: Marks | None) -> Iterator[ET.Element]:
    """A suite for each operator version, one for lost children if too many, one for alarms."""
    alike: dict[str, str] = {}
    for cause in causes_of(failing_rows(results), results.rows):
        # Said once for all: every row of a run may have one cause.
        alike.update(dict.fromkeys(cause.ids, others_in_words(cause)))
    rows, missing = rows_by_version(results), missing_by_version(results)
    for version in sorted(rows.keys() | missing.keys()):
        items: list[Row | str] = []
        items += sorted(rows.get(version, ()), key=lambda row: row.id)
        items += missing.get(version, ())
        yield _suite(results, str(version), items, marks, alike)
    lost = lost_children(results)
    if lost.too_many:
        classname = f"{_clean(results.header.backend)}.{_CHILDREN}"
        suite = _suite(results, _CHILDREN, [], marks, alike)
        yield _with_errors(suite, classname, "children that were lost", [lost.words])
    said = () if marks is None else alarms_of(marks)
    alarms = [item for item in said if item != lost.words]
    if alarms:
        classname = f"{_clean(results.header.backend)}.{_GATE}"
        suite = _suite(results, _GATE, [], marks, alike)
        yield _with_errors(suite, classname, "what no vector tells", alarms)


def _with_errors(
    suite: ET.Element, classname: str, name: str, messages: Sequence[str]
) -> ET.Element:
    """The suite with a test that fails for each message: no vector's verdict tells of it."""
    kind = "lost-children" if classname.endswith(_CHILDREN) else "gate"
    for message in messages:
        case = ET.Element("testcase", {"name": name, "classname": classname, "time": "0.000000"})
        ET.SubElement(case, "error", {"type": kind, "message": _clean(message)})
        suite.insert(1, case)  # behind the properties
    suite.set("tests", str(len(messages)))
    suite.set("errors", str(len(messages)))
    return suite


def _suite(
    results: Results,
    name: str,
    items: Sequence[Row | str],
    marks: Marks | None,
    alike: Mapping[str, str],
) -> ET.Element:
    backend = _clean(results.header.backend)
    suite = ET.Element(
        "testsuite",
        {
            "name": f"{backend} {_clean(name)}",
            "package": backend,
            "id": "",  # its place among all
            "timestamp": _timestamp(results.header.started),
            "hostname": "localhost",
        },
    )
    _add_properties(suite, results)
    for item in items:
        _add_case(suite, results, item, f"{backend}.{_clean(name)}", marks)
        if not isinstance(item, str) and alike.get(item.id):
            _say_alike(suite[-1], alike[item.id])
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(items)))
    # Jenkins' schema has three decimals here, and any number of them for a case.
    suite.set("time", f"{sum(row.seconds for row in items if not isinstance(row, str)):.3f}")
    # Ant's schema requires both elements; the output is kept with the vector that it belongs to.
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err")
    return suite


def _say_alike(case: ET.Element, words: str) -> None:
    """Add to a failure how many others have the same cause."""
    for element in case:
        element.text = f"{element.text or ''}\nalike: {_clean(words)}"


def _add_properties(suite: ET.Element, results: Results) -> None:
    header = results.header
    facts = {
        "backend.version": str(header.describe.get("version", "")),
        "corpus.version": str(header.corpus.get("version", "")),
        "corpus.digest": str(header.corpus.get("digest") or ""),
        "command": header.command,
        **{f"note.{number}": note for number, note in enumerate(notes(results), 1)},
    }
    properties = ET.SubElement(suite, "properties")
    for name, value in facts.items():
        ET.SubElement(properties, "property", {"name": name, "value": _clean(value)})


def _add_case(
    suite: ET.Element, results: Results, item: Row | str, classname: str, marks: Marks | None
) -> None:
    vector_id = item if isinstance(item, str) else item.id
    seconds = 0.0 if isinstance(item, str) else item.seconds
    case = ET.SubElement(
        suite,
        "testcase",
        {"name": _clean(vector_id), "classname": classname, "time": f"{seconds:.6f}"},
    )
    if isinstance(item, str):
        message = "planned, but the run ended without a verdict"
        ET.SubElement(case, "error", {"type": NO_VERDICT, "message": message})
        return
    mark = None if marks is None else marks.get(vector_id)
    tag = _tag(item, mark)
    if tag is not None:
        message = _message(item, mark)
        element = ET.SubElement(case, tag, {"type": _clean(item.verdict), "message": message})
        element.text = _text(results, item, mark, brief=tag == "skipped")


def _tag(row: Row, mark: Mark | None) -> str | None:
    """The element for the verdict; None if the vector passed."""
    group = group_of(row)
    if group is UNJUDGED:
        return "error"
    if mark is not None:
        if not mark.red:
            return None if row.passed else "skipped"
        return "error" if group is CRASHED else "failure"
    if group is CRASHED:
        return "error"
    if group is FAIL or row.tells(_IN_COMPANY):
        return "failure"
    return "skipped" if group in (UNSUPPORTED, INCONCLUSIVE) else None


def _message(row: Row, mark: Mark | None) -> str:
    words = ": ".join(
        item for item in verdict_and_message(row.verdict, row.phase, row.message) if item
    )
    if row.tells(_IN_COMPANY):
        company = row.details[_IN_COMPANY]
        words = f"{words} alone, {company['verdict']} behind others: {company['message']}"
    if mark is not None and mark.reason:
        words = mark.reason if mark.red else f"{words} (known, {mark.where}: {mark.reason})"
    return _clean(one_line(words, 500))


def _text(results: Results, row: Row, mark: Mark | None, *, brief: bool) -> str:
    """All that is known of a vector; `brief` where nothing is to be done about it."""
    details = {} if brief else row.details
    facts = [
        ("vector", row.id),
        ("message", "" if brief else row.message),
        ("baseline", f"{mark.where} {mark.link}".strip() if mark else ""),
        ("difference", details.get("difference")),
        ("expected", None if brief else row.expected),
        ("got", None if brief or repeats_message(row) else row.got),
        ("inputs", details.get("inputs")),
        ("model", details.get("model")),
        ("standard error", "" if brief else row.stderr[-_STDERR_LIMIT:]),
        ("run it alone", reproducing_command(results.header, row.id)),
    ]
    lines = [f"{name}: {_as_text(value)}" for name, value in facts if value not in (None, "", [])]
    return _clean("\n".join(lines))


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else "\n" + value
    return json.dumps(value, ensure_ascii=False)


def _timestamp(started: str) -> str:
    """The time without the zone, which Ant's schema forbids."""
    match = re.match(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}", started)
    return match.group() if match else "1970-01-01T00:00:00"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", visible(text))
