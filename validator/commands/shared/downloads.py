"""Files that a page offers for download: a failing vector, and a script that shows the failure.

Only if the corpus is at hand (`site --vectors`): results files hold models only as text.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from onnx_conformance.core.corpus.corpus import Corpus, load
from onnx_conformance.core.corpus.requirements import requirements
from onnx_conformance.core.corpus.vectors import MODEL_FILE, slug
from onnx_conformance.core.errors import BadInputError

from ...reports.facts.tally import failing_rows
from ...reports.site.pages import file_name, short_digest
from ...repro.plain import RUNTIMES, plain_script
from ...repro.subject import read_subject
from ...results.causes import causes_of
from ...results.merging import accuracy_of
from ...results.records import Results

FOLDER = "vectors"
_ZIP = "vector.zip"
# Vectors with one cause show one bug: the simplest few have files; `repro` writes them for any.
OF_A_CAUSE = 5


def require_same_corpus(columns: Sequence[Results], corpus: Corpus) -> None:
    """Raise BadInputError if results are about other vectors than those of the folder."""
    for column in columns:
        if column.header.corpus.get("digest") != corpus.digest:
            raise BadInputError(
                f"the results of {column.header.backend} are of corpus"
                f" {column.header.corpus.get('version')}, whose manifest has another digest than"
                f" that of {corpus.root}; name the right folder with --vectors, or leave it out"
            )


class Downloads:
    """Files of failing vectors, beside the pages of a site."""

    def __init__(self, corpus: Corpus) -> None:
        """Read the words of the requirements once."""
        self._corpus = corpus
        self._words = requirements(corpus.root)
        self._slugs = Counter(file_name(slug(item)) for item in corpus.entries)

    def of(
        self, columns: Sequence[Results]
    ) -> tuple[Mapping[str, Mapping[str, Any]], Mapping[str, bytes]]:
        """The page's data about the first failing vectors of each cause, and their files.

        Paths in the page start at a folder beside the one with the files; see `html.render`.
        """
        failing: dict[str, list[int]] = {}
        for number, column in enumerate(columns):
            for cause in causes_of(failing_rows(column), column.rows):
                for row in cause.rows[:OF_A_CAUSE]:
                    if row.id in self._corpus.entries:
                        failing.setdefault(row.id, []).append(number)
        self._corpus.provide([self._corpus.entries[item] for item in failing])
        shown: dict[str, Mapping[str, Any]] = {}
        files: dict[str, bytes] = {}
        for vector_id, numbers in failing.items():
            name = self._folder(vector_id)
            place = f"{FOLDER}/{file_name(vector_id.partition('/')[0])}/{name}"
            scripts = {}
            subject = read_subject(self._corpus, vector_id, words=self._words)
            for number in numbers:
                header = columns[number].header
                judged = replace(subject, accuracy=accuracy_of(header))
                runtime = str(header.extra.get("backend", header.backend))
                script = plain_script(judged, runtime) if runtime in RUNTIMES else None
                if script:
                    path = f"{place}/repro-{file_name(header.backend)}.py"
                    files[path] = script.encode("utf-8", "backslashreplace")
                    scripts[number] = f"../{path}"
            files[f"{place}/{MODEL_FILE}"] = subject.model
            files.update((f"{place}/{name}", content) for name, content in subject.beside.items())
            files[f"{place}/{_ZIP}"] = self._zipped(vector_id)
            shown[vector_id] = {
                "model": f"../{place}/{MODEL_FILE}",
                "vector": f"../{place}/{_ZIP}",
                "scripts": scripts,
            }
        return shown, files

    def _folder(self, vector_id: str) -> str:
        """The name of a vector's folder, which is no other's: `a_b` and `a-b` have one slug."""
        name = file_name(slug(vector_id))
        return name if self._slugs[name] < 2 else f"{name}-{short_digest(vector_id)}"

    def _zipped(self, vector_id: str) -> bytes:
        """All files of a vector, the same bytes wherever they are made."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in load(self._corpus.entries[vector_id]).files.items():
                path = f"{self._folder(vector_id)}/{name}"
                archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
        return content.getvalue()
