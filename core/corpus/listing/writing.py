"""The manifests of a corpus as files: one a line, so that a change to a vector changes one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...documents import json_line
from ..vectors import Kind
from .model import (
    FORMAT,
    MANIFEST_FILE,
    MANIFESTS_FOLDER,
    PLAIN_FORM,
    PLAIN_RULE,
    Listed,
    VersionManifest,
    Withdrawn,
    digest_of,
)
from .releases import release_key

_PLACES = {kind: place for place, kind in enumerate(Kind)}


def manifest_files(
    head: Mapping[str, Any],
    vectors: Iterable[Listed],
    withdrawn: Mapping[str, Sequence[Withdrawn]] | None = None,
) -> dict[str, bytes]:
    """The manifests of a corpus by path below its folder; manifest.json is the last.

    Args:
        head: the first keys of manifest.json.
        vectors: all vectors to list, in any order.
        withdrawn: what operator versions had before, by their names (`reshape-14`).
    """
    by_version: dict[str, list[Listed]] = {}
    for item in vectors:
        by_version.setdefault(item.operator_version, []).append(item)
    gone = withdrawn or {}
    return files_of_versions(
        head,
        (
            VersionManifest(
                items[0].facts.operator,
                items[0].facts.domain,
                items[0].facts.since_version,
                tuple(items),
                tuple(gone.get(name, ())),
            )
            for name, items in by_version.items()
        ),
    )


def files_of_versions(
    head: Mapping[str, Any], versions: Iterable[VersionManifest]
) -> dict[str, bytes]:
    """The manifests of a corpus by path below its folder, from what each is to list."""
    by_name = {
        (item.vectors or item.withdrawn)[0].id.split("/", 1)[0]: item
        for item in versions
        if item.vectors or item.withdrawn
    }
    files = {}
    lines_of = {}
    for name in sorted(by_name, key=_by_version):
        content = operator_manifest(by_name[name])
        files[f"{MANIFESTS_FOLDER}/{name}.json"] = content
        lines_of[name] = {"count": len(by_name[name].vectors), "digest": digest_of(content)}
    document = {
        "format": FORMAT,
        **head,
        "count": sum(len(item.vectors) for item in by_name.values()),
    }
    lines = [f" {json_line(key)}: {json_line(value)}" for key, value in document.items()]
    lines.append(_one_a_line("operators", lines_of))
    files[MANIFEST_FILE] = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    return files


def _by_version(operator_version: str) -> tuple[str, int]:
    """A key by which add-7 comes before add-14."""
    operator, _, number = operator_version.rpartition("-")
    return operator, int(number) if number.isdecimal() else 0


def operator_manifest(version: VersionManifest) -> bytes:
    """The manifest of one operator version."""
    covers = {item.id.split("/")[1]: item.facts.covers for item in version.vectors}
    for item in version.vectors:
        if item.facts.covers != covers[item.id.split("/")[1]]:
            raise ValueError(f"{item.id}: covers something else than its case")
    ordered = sorted(version.vectors, key=lambda item: (_PLACES[item.kind], item.id))
    gone = sorted(version.withdrawn, key=lambda item: item.id)
    since = _usual_release([*ordered, *gone])
    lines = [
        f' "operator": {json_line(version.operator)}',
        f' "domain": {json_line(version.domain)}',
        f' "since_version": {version.since_version}',
        *([] if since is None else [f' "since": {json_line(since)}']),
        _one_a_line("covers", {case: list(ids) for case, ids in sorted(covers.items())}),
        _one_a_line("vectors", {item.id: _line(item, since) for item in ordered}),
    ]
    if gone:
        lines.append(_one_a_line("withdrawn", {item.id: _gone_line(item, since) for item in gone}))
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _usual_release(lines: Sequence[Listed | Withdrawn]) -> str | None:
    """The release that lines may leave out: the oldest, so that a new line never changes others."""
    known = [item.since for item in lines if item.since is not None]
    return min(known, key=release_key) if known and len(known) == len(lines) else None


def _line(item: Listed, since: str | None) -> dict[str, Any]:
    """The line of one vector; keys with their default value are left out."""
    facts = item.facts
    line: dict[str, Any] = {"kind": item.kind, "types": dict(facts.types)}
    if facts.opset != facts.since_version:
        line["opset"] = facts.opset
    if facts.form != PLAIN_FORM:
        line["form"] = facts.form
    if facts.control is not None:
        line["control"] = facts.control
    if facts.size:
        line["size"] = facts.size
    if item.rule != PLAIN_RULE:
        line["rule"] = item.rule
    return {**line, **_standing(item, since), "digest": item.digest}


def _gone_line(item: Withdrawn, since: str | None) -> dict[str, Any]:
    return {
        "release": item.release,
        "reason": item.reason,
        **_standing(item, since),
        "digest": item.digest,
    }


def _standing(item: Listed | Withdrawn, since: str | None) -> dict[str, Any]:
    """The keys that tell what stood when, as far as they say more than the defaults."""
    found: dict[str, Any] = {}
    if item.since not in (None, since):
        found["since"] = item.since
    if item.was:
        found["was"] = {name: item.was[name] for name in sorted(item.was, key=release_key)}
    return found


def _one_a_line(key: str, values: Mapping[str, Any]) -> str:
    inner = ",\n".join(f"  {json_line(name)}: {json_line(value)}" for name, value in values.items())
    return f" {json_line(key)}: {{\n{inner}\n }}" if values else f" {json_line(key)}: {{}}"
