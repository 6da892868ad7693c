"""Who agrees with the vectors of some results, as far as the ledger of witnesses knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.corpus.vectors_folder import open_published
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.witnesses.ledger import ledger_here

if TYPE_CHECKING:
    from ...results.records import Results


def agreements_of(columns: Sequence[Results], corpus: Corpus | None) -> Mapping[str, str]:
    """By id, who agrees with the vector, in words; empty where the digests are not at hand.

    Args:
        columns: the results; they name the digest of their corpus, and none of a vector.
        corpus: the vectors, if the user named them; else the published corpus is looked at.
    """
    wanted = {column.header.corpus.get("digest") for column in columns}
    if corpus is None:
        try:
            corpus = open_published()
        except BadInputError:
            return {}
    if wanted != {corpus.digest}:
        return {}
    ledger = ledger_here()
    found = ((item.id, ledger.of(item.id, item.digest)) for item in corpus.entries.values())
    return {vector_id: str(agreement) for vector_id, agreement in found if agreement is not None}
