"""Names of the files that a release publishes beside the excerpt, and where the wheel has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
SPECS = "specs"
PUBLISHED = "published"
# Where a checkout has the excerpt of the corpus.
EXCERPT_FOLDER = "vectors"
# The manifests of the standard corpus: a folder inside that of the excerpt.
STANDARD_FOLDER = "standard"
# The manifests of a corpus of one's own: a folder inside that of its specs.
OWN_LOCK = "lock"
# The description of the files, for readers without our tools.
PAGE = "README.md"


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files with their paths from the parent of a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}
