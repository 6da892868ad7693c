"""The corpus for people who installed the package and have no checkout.

The wheel contains the specs and the manifests of the published corpus, but no vectors. They are in
a wheel of their own (`delivered`); where that is not installed, those of an operator version are
written into the user's cache when one of them is first needed, and compared with the manifest:
everybody judges the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import BadInputError

from ..published import PACKAGE, PUBLISHED, SPECS
from .delivered import delivered_vectors
from .source import PublishedVectors
from .supplying import Supplying


@dataclass(frozen=True)
class Installed(PublishedVectors):
    """The published corpus: a `sources.Source` that makes its vectors from the specs."""

    def supply(self, operator_versions: Sequence[str]) -> Supplying:
        """Makes operator versions beside a run; see `sources.Source`."""
        return Supplying(self, operator_versions)


def installed_corpus(
    messages: TextIO,
    package: Path = PACKAGE,
    environment: Mapping[str, str] = os.environ,
) -> Installed:
    """The published corpus; nothing is written before vectors are needed.

    Args:
        messages: stream for notes about what takes the time on first use.
        package: the folder that holds specs and manifests.
        environment: the variables that tell where caches are.

    Raises BadInputError if the installation is incomplete, or if there is no place for a cache.
    """
    root = package / PUBLISHED
    if not (root / MANIFEST_FILE).is_file():
        raise BadInputError(f"{root / MANIFEST_FILE}: is missing: the installation is not whole")
    return Installed(
        root,
        cache_folder(environment),
        messages,
        package / SPECS,
        os.cpu_count() or 1,
        delivered_vectors(),
    )
