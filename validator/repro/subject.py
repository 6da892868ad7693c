"""All that is known of one vector, read from the vectors folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from onnx_conformance.core.corpus.corpus import Corpus, load
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.requirements import Requirements, requirements, sentences
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import DATA_FILE, MODEL_FILE, DataSet, Vector
from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.values.limits import IEEE, ONNX
from onnx_conformance.core.values.tensors import NamedValue

_NAMED = 3


@dataclass(frozen=True)
class Subject:
    """A vector with everything in it.

    Attributes:
        vector: its metadata.
        model: the serialized model.
        data_sets: inputs, and outputs if outputs are expected.
        permitted: for a latitude vector, the outputs of each permitted result, by its label.
        requirements: the requirements that it tests, with their sources.
        corpus: version of the corpus that it is from.
        control: the valid neighbour of an invalid vector; None if it has none.
        accuracy: which limits of the outputs count, one of `limits.PROFILES`.
        beside: files beside the model, by name, which the model refers to.
        digest: of its files; None if the corpus has no manifest.
    """

    vector: Vector
    model: bytes
    data_sets: tuple[DataSet, ...]
    permitted: Mapping[str, tuple[NamedValue, ...]]
    requirements: tuple[str, ...]
    corpus: str
    control: Subject | None = None
    accuracy: str = IEEE
    beside: Mapping[str, bytes] = field(default_factory=dict)
    digest: str | None = None

    @property
    def pair(self) -> tuple[float, float]:
        """The rtol and atol by which an output is accepted too; zeros for none.

        Outputs with limits are judged by those, and by this pair only in the profile that includes
        it.
        """
        if self.vector.accuracy is not None and self.accuracy != ONNX:
            return 0.0, 0.0
        return self.vector.rtol, self.vector.atol

    @property
    def heading(self) -> str:
        """What it is about, on one line."""
        vector = self.vector
        about = vector.purpose or (self.requirements[0] if self.requirements else "")
        return f"{vector.operator}-{vector.since_version}, case {vector.case}" + (
            f": {about}" if about else ""
        )


def read_subject(
    corpus: Corpus, vector_id: str, accuracy: str = IEEE, words: Requirements | None = None
) -> Subject:
    """The vector with that id, or the only one that it matches as a pattern.

    Raises IncompleteError, as a run of nothing does, with similar ids if there is none.

    `words` are the corpus's requirements, for callers that read many vectors.
    """
    known = requirements(corpus.root) if words is None else words
    if vector_id not in corpus.entries:
        vector_id = _only_one(corpus, vector_id)
    corpus.provide([corpus.entries[vector_id]])
    subject = replace(_read(corpus, vector_id, known), accuracy=accuracy)
    control = subject.vector.control
    if control is None or control not in corpus.entries:
        return subject
    corpus.provide([corpus.entries[control]])
    return replace(subject, control=_read(corpus, control, known))


def _only_one(corpus: Corpus, pattern: str) -> str:
    index = IdIndex(corpus.entries)
    found = index.matching(pattern)
    if len(found) == 1:
        return found[0]
    if not found:
        raise IncompleteError(
            f"'{pattern}' matches no vector in {corpus.root}: {index.explain(pattern)}"
        )
    some = ", ".join(found[:_NAMED])
    raise IncompleteError(
        f"'{pattern}' matches {len(found):,} vectors, and one is wanted: {some}"
        f"{', …' if len(found) > _NAMED else ''}"
    )


def _read(corpus: Corpus, vector_id: str, words: Requirements) -> Subject:
    loaded = load(corpus.entries[vector_id])
    where, vector = str(loaded.directory), loaded.vector
    model = loaded.files.get(MODEL_FILE)
    if model is None:
        raise BadInputError(f"{where}: has no {MODEL_FILE}")
    return Subject(
        vector=vector,
        model=model,
        data_sets=data_sets_of(vector, loaded.files, where),
        permitted=permitted_outputs_of(vector, loaded.files, where),
        requirements=sentences(words, vector.operator, vector.covers),
        corpus=corpus.version,
        digest=corpus.entries[vector_id].digest,
        beside={
            name: content
            for name, content in loaded.files.items()
            if not name.startswith("test_data_set_") and name not in (MODEL_FILE, DATA_FILE)
        },
    )
