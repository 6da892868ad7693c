"""What is known of one operator, from its spec, its vectors, the record of strength, the ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import Corpus, Entry, load
from onnx_conformance.core.corpus.requirements import Requirements, requirements
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.witnesses.alone import ALONE, argued, read_alone
from onnx_conformance.core.witnesses.ledger import ledger_here

from ..corpus.described.limits import limits_of

if TYPE_CHECKING:
    from ..opens.joining import Open

FORMAT = 1


def entries_of(corpus: Corpus, operator: str) -> list[Entry]:
    """The vectors of an operator, which is named as in ids; UsageError if there are none."""
    found = [
        item
        for item in corpus.entries.values()
        if item.operator_version.rpartition("-")[0] == operator
    ]
    if not found:
        raise UsageError(f"{corpus.root}: has no vectors of '{operator}'")
    return found


@dataclass(frozen=True)
class Beside:
    """What is known of an operator beside its vectors.

    Attributes:
        opens: what its document leaves open.
        tags: by requirement, what its user calls it.
        strength: the line of the record of strength; None where there is none.
    """

    opens: Sequence[Open]
    tags: Mapping[str, Sequence[str]]
    strength: Mapping[str, Any] | None


def gathered(
    operator: str, entries: Sequence[Entry], corpus: Corpus, beside: Beside
) -> dict[str, Any]:
    """The whole as JSON values.

    Args:
        operator: its name, after its domain if that is not the default one.
        entries: its vectors, whose files are there.
        corpus: what they are of.
        beside: what else is known.
    """
    words = words_of(requirements(corpus.root), operator)
    vectors = [_vector(item, beside.tags) for item in entries]
    covered = [name for item in vectors for name in item["covers"]]
    return {
        "format": FORMAT,
        "operator": operator,
        "corpus": corpus.version,
        "versions": sorted({int(item.operator_version.rpartition("-")[2]) for item in entries}),
        "requirements": [
            {
                "id": name,
                **facts,
                "tags": list(beside.tags.get(name, ())),
                "vectors": covered.count(name),
            }
            for name, facts in words.items()
        ],
        "open": [
            {
                "id": item.question.id,
                "text": item.question.text,
                "document": item.question.document,
                "part": item.question.part,
                "readings": dict(item.question.readings),
                "runtimes": {str(engine): dict(taken) for engine, taken in item.runtimes},
            }
            for item in beside.opens
        ],
        "strength": beside.strength,
        "vectors": vectors,
    }


def words_of(known: Requirements, operator: str) -> dict[str, dict[str, Any]]:
    """The requirements of an operator as requirements.json has them; it must have some."""
    found = known.get(operator)
    if not found:
        raise BadInputError(f"requirements.json has nothing of '{operator}'; write it again")
    return {name: dict(words) for name, words in found.items()}


def _vector(entry: Entry, tags: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    loaded = load(entry)
    vector = loaded.vector
    facts: dict[str, Any] = {
        "id": vector.id,
        "kind": vector.kind.value,
        "digest": entry.digest,
        "covers": list(vector.covers),
        "tags": list(dict.fromkeys(tag for name in vector.covers for tag in tags.get(name, ()))),
        "purpose": vector.purpose,
        "witnesses": _witnesses(entry),
    }
    if vector.control:
        facts["control"] = vector.control
    if vector.permitted:
        facts["permitted"] = {item.taken: item.reason for item in vector.permitted}
    if vector.accuracy is not None:
        found = list(limits_of(data_sets_of(vector, loaded.files, loaded.location)))
        facts["rule"] = vector.accuracy["rule"]
        facts["rules"] = vector.accuracy.get("outputs", {})
        facts["limits"] = [item.document() for item in found]
        facts["width"] = max((item.width for item in found if item.profile == "ieee"), default=0.0)
        if facts["width"] == float("inf"):
            facts["width"] = "inf"
    return facts


def _witnesses(entry: Entry) -> dict[str, Any] | None:
    """Who agrees with a vector; None where the ledger knows nothing of these bytes."""
    found = ledger_here().of(entry.id, entry.digest)
    if found is None:
        return None
    facts: dict[str, Any] = {
        "count": found.witnesses,
        "engines": [str(item) for item in found.engines],
    }
    if not found.engines and entry.kind is not Kind.LATITUDE:
        argument = argued(read_alone(ALONE), [entry.id]).get(entry.id)
        facts["argument"] = None if argument is None else argument.words
    return facts


def strength_of(record: Path, operator: str) -> dict[str, Any] | None:
    """The line of an operator in the record of strength; None if it has none, or is not there."""
    if not record.is_file():
        return None
    try:
        found = json.loads(record.read_bytes())["operators"].get(operator)
    except (ValueError, KeyError, AttributeError) as error:
        raise BadInputError(f"{record}: is no record of strength: {error!r}") from None
    return dict(found) if found else None
