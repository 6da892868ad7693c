"""The vectors of a corpus that concern a use of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.corpus.corpus import Corpus, Entry, model_of
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.models.attributes import set_attributes, similar_attributes, telling
from onnx_conformance.core.models.schemas import schema_of
from onnx_conformance.core.models.uses import Use
from onnx_conformance.core.models.walking import nodes_of


@dataclass(frozen=True)
class Coverage:
    """What a corpus has for a use.

    Attributes:
        same: ids of the vectors with the same operator version, element types and attributes;
            numbers in attributes, shapes and forms may differ.
        exact: how many of those have the same numbers in attributes too.
        near: ids of the other vectors of the operator version.
        requirements: the requirements that `same` exercises, with how many of them do.
        unread: whether attributes were not compared, because the vectors are not on this machine.
    """

    same: tuple[str, ...]
    exact: int
    near: tuple[str, ...]
    requirements: Mapping[str, int]
    unread: bool = False


class Catalogue:
    """The vectors of a corpus by operator version; models are read when they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        """Sort the entries; nothing is read."""
        self._corpus = corpus
        self._entries: dict[str, list[Entry]] = {}
        for entry in corpus.entries.values():
            # A model that must be refused says nothing about one that a user wants to run.
            if entry.kind is not Kind.INVALID:
                self._entries.setdefault(entry.operator_version, []).append(entry)
        self._attributes: dict[str, Mapping[str, Any] | None] = {}
        self._absent: frozenset[str] = frozenset()
        if corpus.source is not None:
            self._absent = frozenset(corpus.source.missing(list(self._entries)))

    def coverage(self, use: Use) -> Coverage:
        """What concerns one use."""
        listed = self._entries.get(use.operator_version, [])
        types = dict(use.types)
        alike_types = [item for item in listed if _same_types(types, item)]
        same, exact = self._with_attributes(alike_types, use)
        chosen = {item.id for item in same}
        requirements = Counter(
            name for item in same if item.facts is not None for name in item.facts.covers
        )
        return Coverage(
            tuple(item.id for item in same),
            exact,
            tuple(item.id for item in listed if item.id not in chosen),
            dict(requirements.most_common()),
            use.operator_version in self._absent,
        )

    def _with_attributes(self, entries: Sequence[Entry], use: Use) -> tuple[list[Entry], int]:
        """Those with the attributes of a use, and how many have the same numbers in them."""
        wanted = telling(dict(use.attributes), use.operator)
        same, exact = [], 0
        for entry in entries:
            found = self._attributes_of(entry, use)
            if found is None and entry.operator_version in self._absent:
                same.append(entry)
            elif found is not None and similar_attributes(found, wanted):
                same.append(entry)
                exact += found == wanted
        return same, exact

    def _attributes_of(self, entry: Entry, use: Use) -> Mapping[str, Any] | None:
        """The attributes that the operator's node has in a vector; None if they are not known."""
        if entry.id not in self._attributes:
            self._attributes[entry.id] = self._read(entry, use)
        return self._attributes[entry.id]

    def _read(self, entry: Entry, use: Use) -> Mapping[str, Any] | None:
        import onnx
        from google.protobuf.message import DecodeError

        if entry.operator_version in self._absent:
            return None
        content = model_of(entry)
        try:
            model = onnx.ModelProto.FromString(content or b"")
        except DecodeError:
            return None
        schema = schema_of(use.domain, use.operator, use.since_version)
        # Forms put the operator into subgraphs and functions, too.
        for node in nodes_of(model):
            if node.proto.op_type == use.operator and node.domain == use.domain:
                defaults = {} if schema is None else schema.defaults
                return telling(dict(set_attributes(node.proto, defaults)), use.operator)
        return None


def _same_types(types: Mapping[str, str], entry: Entry) -> bool:
    """Whether a vector binds no type variable to another type than a use."""
    if entry.facts is None:
        return False
    return all(types.get(name, word) == word for name, word in entry.facts.types.items())
