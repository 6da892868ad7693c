"""Names of what a release publishes beside the core of the corpus, and where the wheel has it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = Path(__file__).parents[2]
SPECS = "specs"
PUBLISHED = "published"
# The manifests of the standard corpus: a folder in that of the core.
STANDARD_FOLDER = "standard"
# What the files are, for readers without our tools.
PAGE = "README.md"


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files by their path from one folder further up."""
    return {f"{folder}/{name}": content for name, content in files.items()}
