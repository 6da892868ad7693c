"""Writes the files of the site, completely or not at all, in place of an earlier site."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from onnx_conformance.core.errors import UsageError, cannot_write
from onnx_conformance.core.files import replacing_folder

from ...results.changes import RunChanges, changes_between
from ...results.records import Results, Row
from .. import badge, html
from ..facts.tally import as_seen
from ..payload import Further
from .index import Past, index_facts
from .operator import operator_facts
from .pages import failing_causes, file_name, operator_slug, runtime_names
from .runtime import runtime_facts
from .sharing_out import processes_for, total_of

if TYPE_CHECKING:
    import jinja2


Beside: TypeAlias = Callable[[Sequence[Results]], tuple[Further, Mapping[str, bytes]]]

# This file marks a folder of ours; folders without it must not be replaced.
MARKER = ".onnx-conformance-site"

# Verdicts of all runtimes; a site of fewer is written in about a second.
_WORTH_SHARING = 100_000

_ID = attrgetter("id")


class Written(NamedTuple):
    """What became of a site.

    Attributes:
        files: how many it has.
        changes: what changed since the latest earlier run of each runtime that has one.
    """

    files: int
    changes: tuple[RunChanges, ...]


def write_site(
    columns: Sequence[Results],
    output: Path,
    earlier: Sequence[Results] = (),
    beside_pages: Beside | None = None,
    agreements: Mapping[str, str] | None = None,
) -> Written:
    """Write the site.

    Args:
        columns: one for each runtime, in the order in which to show them.
        output: the folder; one that holds an earlier site is replaced, any other must be empty.
        earlier: runs to compare with; a run belongs to the runtime with the same name. If a runtime
            has several, the latest is compared.
        beside_pages: returns, for the columns of an operator, what its page says of files beside
            it (`html.render`), and the files.
        agreements: by id, who agrees with the vector, in words.

    Raises UsageError if the folder holds something else, CannotWriteError if the system refuses to
    write.
    """
    _require_ours(output)
    judged, columns = columns, [as_seen(column) for column in columns]
    before = {
        column.header.backend: [
            run for run in earlier if run.header.backend == column.header.backend
        ]
        for column in columns
    }
    changes = tuple(
        changes_between(before[column.header.backend][-1], column)
        for column in judged
        if before[column.header.backend]
    )
    try:
        with _no_collection(), replacing_folder(output) as folder:
            parts = [
                partial(_write, folder, part)
                for part in _parts(columns, before, changes, beside_pages, agreements or {})
            ]
            rows = sum(len(column.rows) for column in columns)
            # Downloads come from a corpus, which may have to write what it lacks: by one process.
            alone = rows < _WORTH_SHARING or beside_pages is not None
            count = total_of(parts, 1 if alone else processes_for(len(parts)))
            (folder / MARKER).write_bytes(b"Written by onnx-validate site, replaced as a whole.\n")
    except OSError as error:
        raise cannot_write(str(output), error) from None
    return Written(count, changes)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep everything until the end: looking for garbage would take a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _require_ours(output: Path) -> None:
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise UsageError(f"{output}: is no folder; name one that is to be written with --output")
    if output.is_dir() and any(output.iterdir()) and not (output / MARKER).is_file():
        raise UsageError(
            f"{output}: holds files that are no site; name an empty folder, or one that does not"
            " exist yet"
        )


def _write(folder: Path, files: Callable[[], Iterable[tuple[str, str | bytes]]]) -> int:
    """Write the files of one part; how many they are."""
    count = 0
    for name, content in files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        )
        count += 1
    return count


def _parts(
    columns: Sequence[Results],
    before: Mapping[str, Sequence[Results]],
    changes: Sequence[RunChanges],
    beside_pages: Beside | None,
    agreements: Mapping[str, str],
) -> list[Callable[[], Iterable[tuple[str, str | bytes]]]]:
    """What can be made by itself: for each part a function, for its files' paths and contents."""
    environment = html.environment()
    names = runtime_names(columns)
    operators = list(by_operator(columns))

    def index_and_runtimes() -> Iterator[tuple[str, str | bytes]]:
        yield "site.css", _own("page.css") + _own("site.css")
        yield "site.js", _own("site.js")
        yield "page.js", _own("page.js")
        causes = [failing_causes(column) for column in columns]
        facts = index_facts(columns, names, causes, operators, Past(before, changes))
        yield "index.html", _page(environment, "site_index.html.j2", facts)
        for column, name, of_one in zip(columns, names, causes, strict=True):
            backend = column.header.backend
            changed = next((item for item in changes if item.new.header.backend == backend), None)
            facts = runtime_facts(column, name, of_one, before[backend], changed)
            yield f"runtimes/{name}.html", _page(environment, "site_runtime.html.j2", facts)
            yield f"badges/{name}.json", badge.render([column])

    def operator(slug: str, of_one: Sequence[Results]) -> Iterator[tuple[str, str | bytes]]:
        shown, files = beside_pages(of_one) if beside_pages is not None else ({}, {})
        yield from files.items()
        yield (
            f"operators/{slug}.html",
            html.render(
                of_one,
                made_with=environment,
                site=operator_facts(of_one),
                further=_further(of_one, shown, agreements),
            ),
        )
        for column, name in zip(columns, names, strict=True):
            own = [item for item in of_one if item.header.backend == column.header.backend]
            if own:
                label = own[0].rows[0].operator if own[0].rows else slug
                yield f"badges/{name}/{slug}.json", badge.render(own, label=label)

    return [
        index_and_runtimes,
        *(partial(operator, slug, of_one) for slug, of_one in operators),
    ]


def _further(
    columns: Sequence[Results], files: Further, agreements: Mapping[str, str]
) -> dict[str, dict[str, object]]:
    """What the page of an operator shows beside its vectors: see `html.render`."""
    further: dict[str, dict[str, object]] = {key: {"files": item} for key, item in files.items()}
    for vector_id in dict.fromkeys(key for item in columns for key in item.header.planned):
        if vector_id in agreements:
            further.setdefault(vector_id, {})["witnesses"] = agreements[vector_id]
    return further


def by_operator(columns: Sequence[Results]) -> Iterator[tuple[str, list[Results]]]:
    """The results of each operator separately, with the name of its page."""
    planned: dict[str, dict[int, list[str]]] = {}
    rows: dict[str, dict[int, list[Row]]] = {}
    last: tuple[str, ...] = ()
    ids_of: dict[str, list[str]] = {}
    for number, column in enumerate(columns):
        if column.header.planned != last:  # most runs plan the same vectors
            last, ids_of = column.header.planned, {}
            for slug, ids in groupby(last, key=operator_slug):
                ids_of.setdefault(slug, []).extend(ids)
        for slug, planned_ids in ids_of.items():
            planned.setdefault(slug, {})[number] = planned_ids
        named = zip(map(operator_slug, map(_ID, column.rows)), column.rows, strict=True)
        for slug, of_slug in groupby(named, key=itemgetter(0)):
            of_column = rows.setdefault(slug, {}).setdefault(number, [])
            of_column.extend(map(itemgetter(1), of_slug))
    # Also only the operator's own requirements: a page contains everything that it is given.
    own = [
        {file_name(name): {name: words} for name, words in column.header.requirements.items()}
        for column in columns
    ]
    for slug in sorted(planned):
        yield (
            slug,
            [
                replace(
                    columns[number],
                    header=replace(
                        columns[number].header,
                        planned=tuple(ids),
                        requirements=own[number].get(slug, {}),
                    ),
                    rows=tuple(rows.get(slug, {}).get(number, ())),
                )
                for number, ids in planned[slug].items()
            ],
        )


def _page(environment: jinja2.Environment, template: str, facts: dict[str, object]) -> str:
    return environment.get_template(template).render(facts) + "\n"


def _own(name: str) -> str:
    return (html.TEMPLATES / name).read_text(encoding="utf-8")
