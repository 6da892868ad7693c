"""The ids of the vectors of each spec, kept in the user's cache between commands.

Only the oracle knows which forms suit a situation, so that planning all operators takes half the
time of a generation. The result is kept in the cache, for each operator under a key made of
everything that it depends on: the spec, the files that specs share, our own code, the libraries.
Ids from the cache are therefore those that planning would give; after any edit there are none.

Most edits of our code change no id, and planning everything takes minutes. `ids_at_hand` therefore
falls back on ids that an earlier state of the code made from the same spec, or on the manifests of
the checkout. It tells which specs these are, so that its caller can report it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance import core
from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.corpus.manifests import read_operator_manifests
from onnx_conformance.core.documents import read_plain
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import replacing

from ..signatures.reading import FILE_NAME as SIGNATURES_FILE
from ..specs.reading import CORPUS_FILE, TYPES_FILE, spec_files
from ..whole_models.reading import model_spec_file, model_spec_files, read_model_spec
from .processes import in_processes
from .published import PUBLISHED, STANDARD_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FOLDER = "listings"
_CODE = (Path(core.__file__).parent, Path(__file__).parents[1])
_LIBRARIES = ("gmpy2", "numpy", "onnx", "pyyaml")
_OF_SPEC = 12  # digits of a key that depend on the spec only, not on our code
_DIGITS = 37  # digits of a key in a file's name
_KEPT = 8  # for each operator and profile, so that several checkouts can share the cache
_END = "# end\n"
_NAMED = re.compile(r"^(operator|subject|domain): *([\w.]+) *$", re.MULTILINE)
_NEWEST = 100  # greater than any operator version


@dataclass(frozen=True)
class AtHand:
    """Ids that were known without planning."""

    #: By the name of the spec's file, in the order of the corpus.
    ids: Mapping[str, tuple[str, ...]]
    #: Specs with ids made by other code than the present, so that they may have changed.
    earlier: tuple[str, ...]


def ids_at_hand(specs: Path, profile: str, jobs: int = 1) -> AtHand:
    """The ids of a profile; only specs without any known ids are planned.

    A spec has none if it was edited after it was last listed, and the manifests beside the folder
    of the specs do not have it. Raises BadInputError as `vector_ids` does.
    """
    keys = keys_of(specs)
    folder = _folder()
    kept = _kept_names(folder)
    found: dict[str, tuple[str, ...] | None] = {}
    earlier = []
    for stem, key in keys.items():
        found[stem] = _read(folder, stem, profile, key)
        if found[stem] is None:
            found[stem] = _read_earlier(folder, kept, f"{stem}.{profile}.{key[:_OF_SPEC]}.")
            if found[stem] is not None:
                earlier.append(stem)
    unknown = [
        stem
        for stem, ids in found.items()
        if ids is None and not any(name.startswith(f"{stem}.{profile}.") for name in kept)
    ]
    if unknown and profile == STANDARD_FOLDER:
        published = _published(specs, unknown)
        found.update(published)
        earlier += published
    missing = [stem for stem, ids in found.items() if ids is None]
    planned = _plan_and_keep(specs, keys, profile, missing, jobs)
    ids = {stem: planned[stem] if known is None else known for stem, known in found.items()}
    _require_own_operators(specs, ids)
    return AtHand(ids, tuple(earlier))


def vector_ids(
    specs: Path, profile: str, jobs: int = 1, selection: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """The ids of a profile's vectors in the order of the corpus, by the name of the spec's file.

    Operators that the cache does not have are planned in `jobs` processes, and kept. With a
    selection, only operators that its patterns can match. Raises BadInputError if a spec is
    unusable, or if two specs are about one operator.
    """
    every = keys_of(specs)
    keys = {stem: every[stem] for stem in stems_for(specs, every, selection)}
    folder = _folder()
    known = {stem: _read(folder, stem, profile, key) for stem, key in keys.items()}
    missing = [stem for stem, ids in known.items() if ids is None]
    planned = _plan_and_keep(specs, keys, profile, missing, jobs)
    found = {stem: planned[stem] if ids is None else ids for stem, ids in known.items()}
    _require_own_operators(specs, found)
    return found


def _plan_and_keep(
    specs: Path, keys: Mapping[str, str], profile: str, stems: Sequence[str], jobs: int
) -> dict[str, tuple[str, ...]]:
    calls = [(specs, stem, profile) for stem in stems]
    planned = dict(zip(stems, in_processes(_planned, calls, jobs), strict=True))
    if planned:
        remember(specs, keys, {profile: planned})
    return planned


def stems_for(specs: Path, stems: Iterable[str], selection: Sequence[str]) -> tuple[str, ...]:
    """The names of the spec files with vectors that a pattern may match; all without a pattern.

    Only the line of a spec that names its operator is read; if it cannot be found, the spec is
    included.
    """
    first = {pattern.lower().strip("/").partition("/")[0] for pattern in selection}
    return tuple(
        stem
        for stem in stems
        if not selection or any(_may_begin(item, _slug_in(specs, stem)) for item in first)
    )


def _may_begin(component: str, slug: str | None) -> bool:
    """Whether a pattern's first component can match the id of some version."""
    return slug is None or any(
        fnmatchcase(f"{slug}-{number}", component) for number in range(1, _NEWEST)
    )


def _slug_in(specs: Path, stem: str) -> str | None:
    """The beginning of a spec's ids; None if its file does not give it on one line."""
    path = model_spec_file(specs, stem) or specs / f"{stem}.yaml"
    # What is no UTF-8 is refused where the spec is read, with its line.
    names = dict(_NAMED.findall(path.read_text("utf-8", "replace")))
    operator = names.get("operator") or names.get("subject")
    if operator is None:
        return None
    return f"{names['domain']}.{operator}".lower() if "domain" in names else operator.lower()


def keys_of(specs: Path) -> dict[str, str]:
    """A digest of everything that the ids of each operator depend on, by name of the spec's file.

    The digits before the dot depend only on the spec and the files that specs share, those after it
    on everything.
    """
    _, paths = spec_files(specs)
    paths += model_spec_files(specs)
    shared = hashlib.sha256(repr((sys.version_info[:2], _versions())).encode())
    for root in _CODE:
        for name, module in _modules(root):
            shared.update(f"\n{name}\n".encode())
            shared.update(read_plain(module, sys.maxsize))
    beside = hashlib.sha256()
    for name in (CORPUS_FILE, TYPES_FILE, SIGNATURES_FILE):
        path = specs / name
        beside.update(f"\n{name}\n".encode())
        beside.update(path.read_bytes() if path.is_file() else b"")
    return {path.stem: _key(shared.digest(), beside.digest() + path.read_bytes()) for path in paths}


def _modules(root: Path) -> list[tuple[str, str]]:
    """Each module below a folder: its path from there, and its path. os is faster than pathlib."""
    found = []
    for folder, _, names in os.walk(root):
        inside = folder[len(str(root)) + 1 :].replace(os.sep, "/")
        found += [
            (f"{inside}/{name}".lstrip("/"), f"{folder}/{name}")
            for name in names
            if name.endswith(".py")
        ]
    return sorted(found)


def _key(code: bytes, spec: bytes) -> str:
    of_spec = hashlib.sha256(spec).hexdigest()[:_OF_SPEC]
    return f"{of_spec}.{hashlib.sha256(code + spec).hexdigest()}"


def remember(
    specs: Path, keys: Mapping[str, str], planned: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> None:
    """Keep the ids of operators, except those with files edited in the meantime.

    Args:
        specs: the folder of the specs.
        keys: the result of `keys_of` before the operators were planned.
        planned: for each profile, ids by the name of the spec's file.

    A cache that cannot be written is not used: it only saves time.
    """
    folder = _folder()
    if folder is None:
        return
    now = keys_of(specs)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for profile, of_profile in planned.items():
            for stem, ids in of_profile.items():
                if now.get(stem) == keys[stem]:
                    _write(folder, stem, profile, keys[stem], ids)
    except OSError:
        return


def _planned(specs: Path, stem: str, profile: str) -> tuple[str, ...]:
    from .making import plan_corpus
    from .model_vectors import model_ids

    path = model_spec_file(specs, stem)
    if path is not None:
        return tuple(model_ids(read_model_spec(path, spec_files(specs)[0])))
    return tuple(plan.id for plan in plan_corpus(specs, profile, operators=(stem,)).plans)


def _require_own_operators(specs: Path, found: Mapping[str, tuple[str, ...]]) -> None:
    """Raise BadInputError if two specs are about one operator."""
    seen: dict[str, str] = {}
    for stem, ids in found.items():
        for operator in {item.split("/", 1)[0].rpartition("-")[0] for item in ids}:
            first = seen.setdefault(operator, stem)
            if first != stem:
                raise BadInputError(
                    f"{specs / stem}.yaml: operator '{operator}' has a spec in {specs / first}.yaml"
                )


@cache
def _versions() -> tuple[str, ...]:
    return tuple(_version(name) for name in _LIBRARIES)


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def _folder() -> Path | None:
    """The folder of the listings; None if there is no place for a cache."""
    try:
        return cache_folder(os.environ) / _FOLDER
    except BadInputError:
        return None


def _read(folder: Path | None, stem: str, profile: str, key: str) -> tuple[str, ...] | None:
    """The ids kept under a key; None if there are none, or not all of them."""
    return None if folder is None else _ids_in(folder / _name(stem, profile, key), key)


def _ids_in(path: Path, key: str) -> tuple[str, ...] | None:
    """The ids in a cache file whose key begins as given; None if the file is incomplete."""
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return None
    first, _, rest = text.partition("\n")
    if not first.startswith(key) or not rest.endswith(_END):
        return None
    return tuple(rest.removesuffix(_END).splitlines())


def _kept_names(folder: Path | None) -> tuple[str, ...]:
    """The files of the cache, the newest first."""
    try:
        files = [] if folder is None else [*os.scandir(folder)]
        files.sort(key=lambda file: file.stat().st_mtime, reverse=True)
    except OSError:
        return ()
    return tuple(file.name for file in files)


def _read_earlier(folder: Path | None, kept: Sequence[str], start: str) -> tuple[str, ...] | None:
    """The newest complete ids in a file whose name begins as given."""
    for name in kept:
        if name.startswith(start) and folder is not None:
            ids = _ids_in(folder / name, start.rpartition(".")[0].rpartition(".")[2])
            if ids is not None:
                return ids
    return None


def _published(specs: Path, stems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The ids that the manifests beside the specs list for them; unknown specs are left out."""
    checkout, package = specs.parent / "vectors" / STANDARD_FOLDER, specs.parent / PUBLISHED
    root = checkout if checkout.is_dir() else package
    try:
        manifest = json.loads((root / MANIFEST_FILE).read_bytes())
        by_slug: dict[str, list[str]] = {}
        for item in read_operator_manifests(root, manifest):
            slug = item.operator_version.rpartition("-")[0]
            by_slug.setdefault(slug, []).append(item.id)
    except (OSError, ValueError, KeyError, TypeError, BadInputError):
        return {}
    slugs = {stem: _slug_in(specs, stem) or "" for stem in stems}
    return {stem: tuple(by_slug[slug]) for stem, slug in slugs.items() if slug in by_slug}


def _write(folder: Path, stem: str, profile: str, key: str, ids: tuple[str, ...]) -> None:
    with replacing(folder / _name(stem, profile, key)) as stream:
        stream.write("".join([f"{key}\n", *(f"{item}\n" for item in ids), _END]).encode())
    others = sorted(
        folder.glob(f"{stem}.{profile}.*.txt"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for path in others[_KEPT:]:
        path.unlink(missing_ok=True)


def _name(stem: str, profile: str, key: str) -> str:
    return f"{stem}.{profile}.{key[:_DIGITS]}.txt"
