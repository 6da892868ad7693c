"""The ids of the vectors that specs stand for, kept from one command to the next.

Which forms suit a situation the oracle knows, so that planning all operators takes as long as half
a generation. What it comes to is kept in the user's cache, for each operator under a key that is
made of all that decides it: the spec, what the specs share, our own code, the libraries. An answer
from the cache is therefore the one that planning would give; where anything was edited there is
none.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from fnmatch import fnmatchcase
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance import core
from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import replacing

from ..signatures.reading import FILE_NAME as SIGNATURES_FILE
from ..specs.reading import CORPUS_FILE, TYPES_FILE, spec_files
from ..whole_models.reading import model_spec_file, model_spec_files, read_model_spec
from .processes import in_processes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_FOLDER = "listings"
_CODE = (Path(core.__file__).parent, Path(__file__).parents[1])
_LIBRARIES = ("gmpy2", "numpy", "onnx", "pyyaml")
_DIGITS = 24  # of a key in a file's name
_KEPT = 8  # for each operator and profile, so that checkouts side by side keep theirs
_END = "# end\n"
_NAMED = re.compile(r"^(operator|subject|domain): *([\w.]+) *$", re.MULTILINE)
_NEWEST = 100  # beyond any operator version


def vector_ids(
    specs: Path, profile: str, jobs: int = 1, selection: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """The ids of a profile's vectors in the order of the corpus, by the name of the spec's file.

    Operators that the cache does not know are planned, in `jobs` processes, and kept. With patterns
    those alone of which one may take a vector. Raises BadInputError where a spec is unusable, or
    two are of one operator.
    """
    every = keys_of(specs)
    keys = {stem: every[stem] for stem in stems_for(specs, every, selection)}
    folder = _folder()
    known = {stem: _read(folder, stem, profile, key) for stem, key in keys.items()}
    missing = [stem for stem, ids in known.items() if ids is None]
    calls = [(specs, stem, profile) for stem in missing]
    planned = dict(zip(missing, in_processes(_planned, calls, jobs), strict=True))
    if planned:
        remember(specs, keys, {profile: planned})
    found = {stem: planned[stem] if ids is None else ids for stem, ids in known.items()}
    _require_own_operators(specs, found)
    return found


def stems_for(specs: Path, stems: Iterable[str], selection: Sequence[str]) -> tuple[str, ...]:
    """The names of the specs' files whose vectors a pattern may take; all without a pattern.

    A spec is not read for it but for the line that names what it is of; where that is not found
    the spec is among them.
    """
    first = {pattern.lower().strip("/").partition("/")[0] for pattern in selection}
    return tuple(
        stem
        for stem in stems
        if not selection or any(_may_begin(item, _slug_in(specs, stem)) for item in first)
    )


def _may_begin(component: str, slug: str | None) -> bool:
    """Whether a pattern's first component takes the id of some version."""
    return slug is None or any(
        fnmatchcase(f"{slug}-{number}", component) for number in range(1, _NEWEST)
    )


def _slug_in(specs: Path, stem: str) -> str | None:
    """How the ids of a spec's vectors begin; None where its file does not say so on one line."""
    path = model_spec_file(specs, stem) or specs / f"{stem}.yaml"
    names = dict(_NAMED.findall(path.read_text("utf-8")))
    operator = names.get("operator") or names.get("subject")
    if operator is None:
        return None
    return f"{names['domain']}.{operator}".lower() if "domain" in names else operator.lower()


def keys_of(specs: Path) -> dict[str, str]:
    """What decides the ids of each operator, as a digest, by the name of the spec's file."""
    _, paths = spec_files(specs)
    paths += model_spec_files(specs)
    shared = hashlib.sha256(repr((sys.version_info[:2], [*_versions()])).encode())
    for root in _CODE:
        for path in sorted(root.rglob("*.py")):
            shared.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
            shared.update(path.read_bytes())
    for name in (CORPUS_FILE, TYPES_FILE, SIGNATURES_FILE):
        path = specs / name
        shared.update(f"\n{name}\n".encode())
        shared.update(path.read_bytes() if path.is_file() else b"")
    common = shared.digest()
    return {path.stem: hashlib.sha256(common + path.read_bytes()).hexdigest() for path in paths}


def remember(
    specs: Path, keys: Mapping[str, str], planned: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> None:
    """Keep the ids of operators, but for those of which something was edited meanwhile.

    Args:
        specs: the folder of the specs.
        keys: what `keys_of` gave before the operators were planned.
        planned: for each profile, ids by the name of the spec's file.

    A cache that cannot be written is left as it is: it saves time, and nothing else.
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
    """Raise BadInputError where two specs are of one operator."""
    seen: dict[str, str] = {}
    for stem, ids in found.items():
        for operator in {item.split("/", 1)[0].rpartition("-")[0] for item in ids}:
            first = seen.setdefault(operator, stem)
            if first != stem:
                raise BadInputError(
                    f"{specs / stem}.yaml: operator '{operator}' has a spec in {specs / first}.yaml"
                )


def _versions() -> Iterator[str]:
    for name in _LIBRARIES:
        try:
            yield version(name)
        except PackageNotFoundError:
            yield "none"


def _folder() -> Path | None:
    """Where listings are kept; None where there is no place for a cache."""
    try:
        return cache_folder(os.environ) / _FOLDER
    except BadInputError:
        return None


def _read(folder: Path | None, stem: str, profile: str, key: str) -> tuple[str, ...] | None:
    """The ids that are kept under a key; None where there are none, or not all of them."""
    if folder is None:
        return None
    try:
        text = (folder / _name(stem, profile, key)).read_text("utf-8")
    except (OSError, ValueError):
        return None
    first, _, rest = text.partition("\n")
    if first != key or not rest.endswith(_END):
        return None
    return tuple(rest.removesuffix(_END).splitlines())


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
