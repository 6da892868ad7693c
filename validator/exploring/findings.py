"""What an exploration leaves: a results file, and a folder of its own for each cause."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from onnx_conformance.core.corpus.vectors import slug
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.files import replacing_folder
from onnx_conformance.core.systems import this_machine

from ..results.file_format import ResultsWriter
from ..results.records import HarnessFacts, Header, RunFacts

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus

    from ..host.protocol import Description
    from .causes import Found
    from .exploration import Exploration

# A folder with this file in it was written by an exploration, and may be replaced.
MARK = "FINDINGS.md"


def results_text(  # noqa: PLR0913, PLR0917  what a results file says of its run
    found: Sequence[Found],
    exploration: Exploration,
    corpus: Corpus,
    backend: str,
    description: Description,
    facts: Mapping[str, Any],
) -> str:
    """The results file: a row for the simplest call of each cause, and what was drawn.

    Args:
        found: the causes.
        exploration: what was drawn.
        corpus: the vectors that it began with.
        backend: the name of the column.
        description: what the backend says of itself.
        facts: of the command line, for the header.
    """
    rows = [item.failure.row for item in found]
    stream = io.StringIO()
    writer = ResultsWriter(stream)
    writer.header(
        Header(
            backend=backend,
            describe=cast("HarnessFacts", description.raw),
            corpus={
                "version": corpus.version,
                "digest": corpus.digest,
                "root": str(corpus.root),
            },
            planned=tuple(row.id for row in rows),
            command=str(facts.get("command", "")),
            started=str(facts.get("started", "")),
            extra=cast("RunFacts", {"platform": this_machine(), **facts}),
        )
    )
    for row in rows:
        writer.row(row)
    writer.footer(
        notes={},
        explored={
            "drawn": exploration.drawn,
            "causes": [_cause(item) for item in found],
            "faults": [asdict(item) for item in exploration.faults],
            "operators": {
                name: {
                    "refused": dict(tally.refused),
                    "tries": tally.tries,
                    "verdicts": dict(tally.verdicts),
                    "seconds": round(tally.seconds, 3),
                }
                for name, tally in sorted(exploration.tallies.items())
            },
        },
    )
    return stream.getvalue()


def _cause(found: Found) -> dict[str, Any]:
    failure = found.failure
    return {
        "id": failure.row.id,
        "first": failure.first,
        "calls": found.calls,
        "edits": list(failure.explored.edits),
        "base": failure.explored.base,
        "known": found.known,
        "perhaps": found.perhaps,
        "alone": failure.alone,
        **({} if found.blame is None else {"optimization": asdict(found.blame)}),
    }


def require_replaceable(folder: Path) -> None:
    """UsageError where a folder holds something else than findings: it would be replaced."""
    if folder.is_dir() and (not any(folder.iterdir()) or (folder / MARK).is_file()):
        return
    if folder.exists():
        raise UsageError(
            f"{folder}: is neither empty nor a folder of findings, and would be replaced as a"
            " whole; name another one with --output"
        )


def write_findings(
    found: Iterable[Found], lines: Iterable[str], scripts: Mapping[str, str], folder: Path
) -> None:
    """Write a folder with one for each cause, which needs nothing else: a vector with a script.

    Args:
        found: the causes.
        lines: the report, which becomes the page of the folder.
        scripts: by id, a script that shows it with the runtime alone.
        folder: the folder, which is replaced as a whole.
    """
    require_replaceable(folder)
    with replacing_folder(folder) as new:
        for item in found:
            row = item.failure.row
            place = new / slug(row.id).removeprefix("test_explore_")
            for name, content in (item.failure.explored.files or {}).items():
                _write(place / name, content)
            if row.id in scripts:
                _write(place / "repro.py", scripts[row.id].encode("utf-8", "backslashreplace"))
        text = "\n".join(["# What exploration found", "", "```", *lines, "```", ""])
        _write(new / MARK, text.encode("utf-8", "backslashreplace"))


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror or error}") from None


def scripts_of(
    found: Iterable[Found], corpus: Corpus, backend: str, accuracy: str
) -> dict[str, str]:
    """By id, a script that shows a cause with the runtime alone, where one can.

    Args:
        found: the causes.
        corpus: the vectors that exploration began with.
        backend: as it was given on the command line.
        accuracy: which limits of a vector count.
    """
    from ..repro.plain import plain_script
    from ..repro.subject import read_subject
    from .supplying.drawn_vectors import with_entries

    calls = [item.failure.explored for item in found]
    drawn = with_entries(corpus, calls)
    scripts = {}
    for call in calls:
        script = plain_script(read_subject(drawn, call.id, accuracy, words={}), backend)
        if script:
            scripts[call.id] = script
    return scripts


def now() -> str:
    """The local time in ISO 8601."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
