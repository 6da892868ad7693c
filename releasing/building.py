"""All files of a release, in one folder that appears when it is whole."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import RELEASES_FILE, read_releases
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.generators.releases.changelog import as_document, as_markdown
from onnx_conformance.generators.releases.changes import changes_between
from onnx_conformance.generators.releases.contents import NOTHING, read_manifests
from onnx_conformance.generators.specs.rulings import read_rulings

from .archives import write_corpus_archive, write_folder_tar, write_operator_archives
from .sbom import write_sbom
from .sources import checkout
from .sums import SUMS, sums_of
from .vectors_wheel import build_vectors_wheel
from .wheels import build_wheel

if TYPE_CHECKING:
    from .sources import Checkout

NAME = "onnx-conformance-vectors"


def build_release(root: Path, vectors: Path, output: Path, *, trial: bool) -> str:
    """Make a release, and return a table of its files.

    Args:
        root: the checkout.
        vectors: the standard corpus, as `make vectors` writes it.
        output: the folder to make; what it held is gone once the new one is whole.
        trial: whether files may differ from the commit, and the corpus need not be listed as
            released.

    Raises UsageError if one of these is so and may not, and BadInputError if a part cannot be made,
    or if the vectors are not those that the checkout's manifests list.
    """
    sources = checkout(root, changed=trial)
    if not trial:
        _require_listed(sources)
    _require_published(sources, vectors)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".writing-") as temporary:
        folder = Path(temporary) / "release"
        folder.mkdir()
        build_wheel(sources, folder)
        _archives(sources, vectors, folder)
        _changes(sources, folder)
        write_sbom(sources, folder / f"onnx-conformance-{sources.version}.cdx.json")
        (folder / SUMS).write_text(sums_of(folder), "utf-8")
        if output.exists():
            shutil.rmtree(output)
        folder.rename(output)
    rows = [f"{path.stat().st_size:>12,}  {path.name}" for path in sorted(output.iterdir())]
    return "\n".join([f"{output}:", *rows])


def _require_listed(sources: Checkout) -> None:
    """UsageError if the corpus is not in the list of releases."""
    standard = sources.root / "vectors" / "standard"
    if sources.corpus not in {item.version for item in read_releases(standard)}:
        raise UsageError(
            f"{standard / RELEASES_FILE}: does not list {sources.corpus}, the version in"
            " specs/corpus.yaml: run `python -m releasing record` and commit it, or try the release"
            " out with --trial"
        )


def _require_published(sources: Checkout, vectors: Path) -> None:
    """BadInputError if a folder is not the corpus whose manifests are committed."""
    made, committed = (
        folder / "manifest.json" for folder in (vectors, sources.root / "vectors" / "standard")
    )
    if not made.is_file():
        raise BadInputError(f"{made}: is missing: run `make vectors`")
    if made.read_bytes() != committed.read_bytes():
        raise BadInputError(f"{made}: differs from {committed}: run `make vectors`, and commit")


def _changes(sources: Checkout, folder: Path) -> None:
    """Write what changed among the vectors since the release before, in both forms."""
    manifests = read_manifests(sources.root / "vectors" / "standard")
    versions = [item.version for item in manifests.released]
    rulings = read_rulings(sources.root / "specs", sorted({*versions, manifests.version}))
    earlier = [item for item in versions if item != manifests.version]
    old = manifests.then(earlier[-1]) if earlier else NOTHING
    changes = changes_between(old, manifests.then(manifests.version), rulings)
    stem = f"{NAME}-{sources.corpus}-changes"
    (folder / f"{stem}.md").write_text(as_markdown(changes), "utf-8")
    document = json.dumps(as_document(changes), indent=1, ensure_ascii=False)
    (folder / f"{stem}.json").write_text(document + "\n", "utf-8")


def _archives(sources: Checkout, vectors: Path, folder: Path) -> None:
    name = f"{NAME}-{sources.corpus}"
    core = sources.root / "vectors"
    page = core / "README.md"
    for profile, corpus in (("core", core), ("standard", vectors)):
        whole = f"{name}-{profile}"
        write_corpus_archive(corpus, page, folder / f"{whole}.tar.xz", whole)
    with tempfile.TemporaryDirectory() as temporary:
        parts = Path(temporary) / name
        write_operator_archives(vectors, page, parts)
        write_folder_tar(parts, folder / f"{name}-by-operator.tar", name)
        build_vectors_wheel(parts, folder, sources.root / "LICENSE", sources.epoch)
