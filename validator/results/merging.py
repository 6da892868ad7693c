"""Merges results files: the shards of one backend into one column, backends side by side.

Files belong to one column if they have the same backend's name and the harness described itself in
the same way. Contradictory files are not merged: the report would describe nothing that ever ran.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.corpus.requirements import joined
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.values.limits import IEEE

from .file_format import read_results
from .lost_children import lost_children, of_shards
from .records import FooterFacts, Header, Results, Row, RunFacts


@dataclass(frozen=True)
class Source:
    """A results file with its name in messages."""

    #: Of the file, for messages.
    name: str
    #: What it holds.
    results: Results


def read_sources(paths: Iterable[Path]) -> list[Source]:
    """Read results files; BadInputError if one cannot be read or contradicts itself."""
    collecting = gc.isenabled()
    # A million rows without a cycle among them: looking for garbage takes a fifth of the time.
    gc.disable()
    try:
        return [Source(str(path), _checked(str(path), read_results(path))) for path in paths]
    finally:
        if collecting:
            gc.enable()


def merge(sources: Sequence[Source]) -> list[Results]:
    """One Results for each backend, in the order in which the backends first occur.

    The merged header's `extra` tells its sources: `files`, and `missing_shards` if some
    `--shard K/N` parts are absent. Columns that would have the same name are distinguished by the
    version that the harness reported.

    Raises BadInputError if the files are from different corpora, if those of one backend were
    judged differently, or if two files give one vector different verdicts; IncompleteError if the
    files of a backend are neither of one selection nor shards of one plan.
    """
    _require_one_corpus(sources)
    columns: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        columns.setdefault(_column(source.results.header), []).append(source)
    return _named_apart([_put_together(parts) for parts in columns.values()])


def runs_of(sources: Sequence[Source]) -> list[Results]:
    """One Results for each run, in the order of their first files.

    A file is a run, but shards of one runtime in one version on one corpus are put together, as
    long as none comes twice. Raises as `merge` does if shards do not belong together.
    """
    runs: list[list[Source]] = []
    for source in sources:
        header = source.results.header
        shard = header.extra.get("shard")
        for parts in runs:
            first = parts[0].results.header
            alike = _column(first) == _column(header) and same_corpus(first, header)
            shards = [part.results.header.extra.get("shard") for part in parts]
            if alike and shard is not None and None not in shards and shard not in shards:
                parts.append(source)
                break
        else:
            runs.append([source])
    return [_put_together(parts) for parts in runs]


def _checked(name: str, results: Results) -> Results:
    """The results; BadInputError for a row that was not planned."""
    planned = set(results.header.planned)
    for row in results.rows:
        if row.id not in planned:
            raise BadInputError(f"{name}: has a verdict on '{row.id}', which its header lacks")
    return results


# --- corpora --------------------------------------------------------------------------------


def corpus_of(header: Header) -> str:
    """The corpus in words: `2026.11 (sha256 0123456789ab…)`."""
    version = header.corpus.get("version", "unversioned")
    digest = header.corpus.get("digest")
    return f"{version} (sha256 {str(digest)[:12]}…)" if digest else f"{version} (no manifest)"


def same_corpus(one: Header, other: Header) -> bool:
    """Whether two runs judged the same vectors, according to the manifests' digests."""
    return (one.corpus.get("version"), one.corpus.get("digest")) == (
        other.corpus.get("version"),
        other.corpus.get("digest"),
    )


def _require_one_corpus(sources: Sequence[Source]) -> None:
    first = sources[0]
    for source in sources[1:]:
        if not same_corpus(first.results.header, source.results.header):
            raise BadInputError(
                f"{source.name}: is of corpus {corpus_of(source.results.header)}, but"
                f" {first.name} is of {corpus_of(first.results.header)}; run both on the same"
                " vectors, or see what changed with `onnx-validate compare`"
            )


def accuracy_of(header: Header) -> str:
    """The profile by which limits were judged; old results have none, and had no limits."""
    return str(header.extra.get("accuracy", IEEE))


# --- shards ---------------------------------------------------------------------------------


# Two harnesses that differ in one of these have different columns.
_TOLD_APART_BY = ("name", "version", "adapts", "judges", "details")


def _column(header: Header) -> tuple[str, str]:
    described = {key: value for key, value in header.describe.items() if key in _TOLD_APART_BY}
    return header.backend, json.dumps(described, sort_keys=True)


def _put_together(parts: Sequence[Source]) -> Results:
    """One Results from several files of one backend."""
    headers = [part.results.header for part in parts]
    first = headers[0]
    files = [part.name for part in parts]
    _require_one_accuracy(parts)
    missing = _missing_shards(parts)
    extra: RunFacts = {**first.extra, "files": files}
    if missing:
        extra["missing_shards"] = missing
    planned = list(dict.fromkeys(item for header in headers for item in header.planned))
    if len(parts) > 1:
        planned.sort(key=natural_order)
    requirements = joined(header.requirements for header in headers)
    header = replace(first, planned=tuple(planned), requirements=requirements, extra=extra)
    return Results(header, _rows_of(parts), _footer_of(parts))


def _require_one_accuracy(parts: Sequence[Source]) -> None:
    first = parts[0]
    for part in parts[1:]:
        one, other = accuracy_of(first.results.header), accuracy_of(part.results.header)
        if one != other:
            raise BadInputError(
                f"{part.name}: was judged with --accuracy {other}, but {first.name} with {one};"
                f" both are {part.results.header.backend}: run both with"
                " the same options, or give one a --name"
            )


def _missing_shards(parts: Sequence[Source]) -> list[str]:
    """The `K/N` that no file has; empty if the files hold the whole selection."""
    _require_one_plan(parts)
    cut = [_shard_of(part) for part in parts]
    present = {shard[0] for shard in cut if shard is not None}
    count = max((shard[1] for shard in cut if shard is not None), default=0)
    return [f"{number}/{count}" for number in range(1, count + 1) if number not in present]


def _shard_of(part: Source) -> tuple[int, int] | None:
    """`K/N` as numbers; None if the file holds a whole selection."""
    shard = part.results.header.extra.get("shard")
    if shard is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", str(shard))
    if match is None or int(match[1]) > int(match[2]):
        raise BadInputError(f"{part.name}: says that it is shard {shard!r}, which is no K/N")
    return int(match[1]), int(match[2])


def _require_one_plan(parts: Sequence[Source]) -> None:
    """Raise IncompleteError unless files hold one selection: whole, or in shards of one plan.

    Files of several selections do not make a whole, and nobody could say what is missing.
    """
    first = parts[0]
    for part in parts[1:]:
        one, other = _shard_of(first), _shard_of(part)
        if asked(part.results.header) != asked(first.results.header):
            what = f"is of another selection than {first.name}"
        elif (one is None) != (other is None):
            what = f"is {_extent(part)}, but {first.name} is {_extent(first)}"
        elif one is not None and other is not None and one[1] != other[1]:
            what = f"is one of {other[1]} shards, but {first.name} is one of {one[1]}"
        elif one == other and not _plans_alike(first, part):
            what = f"was planned with other vectors than {first.name}"
        elif _selected(first) != _selected(part):
            what = (
                f"is a shard of {_selected(part)} vectors, but {first.name} of {_selected(first)}"
            )
        else:
            continue
        raise IncompleteError(
            f"{part.name}: {what}; both are of {part.results.header.backend}: give one selection,"
            " whole or in the shards of one plan"
        )


def _extent(part: Source) -> str:
    shard = part.results.header.extra.get("shard")
    return f"shard {shard}" if shard else "a whole selection"


def _plans_alike(one: Source, other: Source) -> bool:
    return set(one.results.header.planned) == set(other.results.header.planned)


def _selected(part: Source) -> int | None:
    return part.results.header.extra.get("selected")


def asked(header: Header) -> object:
    """What a run was asked for, whatever its shard: the selection, and what the runtime claims."""
    extra = header.extra
    selection, profile = extra.get("selection", {}), extra.get("profile")
    claims = profile.get("claims") if isinstance(profile, dict) else None
    if not isinstance(selection, dict):
        return selection, claims
    return {key: value for key, value in selection.items() if key != "shard"}, claims


def _rows_of(parts: Sequence[Source]) -> tuple[Row, ...]:
    rows: dict[str, Row] = {}
    origin: dict[str, str] = {}
    for part in parts:
        for row in part.results.rows:
            known = rows.setdefault(row.id, row)
            name = origin.setdefault(row.id, part.name)
            if known.verdict != row.verdict:
                raise BadInputError(
                    f"{part.name}: says {row.verdict} of '{row.id}', but {name} says"
                    f" {known.verdict}; both are {part.results.header.backend}: run it again, or"
                    " see all that differs with `onnx-validate compare`"
                )
            if known.reused is not None and row.reused is None:
                rows[row.id] = row
    return tuple(rows.values())


def _footer_of(parts: Sequence[Source]) -> FooterFacts | None:
    """The footer of a single file; several files share only the count of lost children."""
    if len(parts) == 1:
        return parts[0].results.footer
    planned = {item for part in parts for item in part.results.header.planned}
    lost = of_shards((lost_children(part.results) for part in parts), len(planned))
    return {"lost_children": lost.to_json()} if lost.count else None


def natural_order(vector_id: str) -> tuple[str, int, str]:
    """Sort key of an id that puts `reshape-5` before `reshape-14`."""
    prefix, _, rest = vector_id.partition("/")
    operator, _, version = prefix.rpartition("-")
    return (operator, int(version), rest) if version.isdecimal() else (prefix, 0, rest)


# --- names of columns -----------------------------------------------------------------------


def _named_apart(results: Sequence[Results]) -> list[Results]:
    names = [item.header.backend for item in results]
    if len(set(names)) == len(names):
        return list(results)
    named = [_with_version(item, names) for item in results]
    taken: dict[str, Results] = {}
    for item in named:
        other = taken.setdefault(item.header.backend, item)
        if other is not item:
            raise BadInputError(
                f"{_files(other)} and {_files(item)}: are both '{item.header.backend}', but their"
                " harnesses describe themselves differently; give each its own name"
            )
    return named


def _with_version(results: Results, names: Sequence[str]) -> Results:
    header = results.header
    if names.count(header.backend) == 1:
        return results
    version = header.describe.get("version", "unknown version")
    extra: RunFacts = {"backend": header.backend, **header.extra}
    return replace(
        results, header=replace(header, backend=f"{header.backend} {version}", extra=extra)
    )


def _files(results: Results) -> str:
    return ", ".join(results.header.extra["files"])
