"""The corpus for people who installed the package and have no checkout.

The wheel carries the specs and the manifest of the published corpus, not its 30,000 files. They are
written into the user's cache the first time that they are needed and held against the manifest:
what is judged here is byte for byte what is judged everywhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from onnx_conformance.core.corpus.corpus import MANIFEST_FILE
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.corpus.vectors_folder import ELSEWHERE
from onnx_conformance.core.documents import read_plain
from onnx_conformance.core.errors import BadInputError, cannot_write
from onnx_conformance.core.limits import MANIFEST

from .abandoned import TEMPORARY, hold, release, remove_abandoned

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = Path(__file__).parents[2]
SPECS = "specs"
PUBLISHED = "published"
CACHE_VARIABLE = "ONNX_CONFORMANCE_CACHE"


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where corpora are kept.

    $ONNX_CONFORMANCE_CACHE where it is set, else as the XDG Base Directory Specification says; on
    Windows where programs of a user keep their data.
    """
    if environment.get(CACHE_VARIABLE):
        return Path(environment[CACHE_VARIABLE])
    if os.name == "nt":
        local = environment.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData/Local") / "onnx-conformance"
    home = environment.get("XDG_CACHE_HOME", "")
    # The specification: a relative path in the variable is to be ignored.
    base = Path(home) if home.startswith("/") else _home(environment) / ".cache"
    return base / "onnx-conformance"


def _home(environment: Mapping[str, str]) -> Path:
    """The user's home; BadInputError where there is none, as in some containers and services."""
    home = environment.get("HOME", "")
    if not home.startswith("/"):
        with contextlib.suppress(ImportError, KeyError):
            import pwd

            home = pwd.getpwuid(os.getuid()).pw_dir
    if not home.startswith("/"):
        raise BadInputError(
            f"there is no home folder to keep the corpus in; name a folder in ${CACHE_VARIABLE}"
        )
    return Path(home)


def installed_corpus(
    messages: TextIO,
    package: Path = PACKAGE,
    environment: Mapping[str, str] = os.environ,
) -> Path:
    """The folder of the published corpus in the user's cache, written first where it is missing.

    Args:
        messages: says what takes the time on first use.
        package: the folder that holds specs and manifest.
        environment: says where caches are.

    Raises BadInputError where the cache cannot be written, or what was generated is not what was
    published.
    """
    content = _read(package / PUBLISHED / MANIFEST_FILE)
    manifest = json.loads(content)
    name = f"{manifest['corpus']}-{hashlib.sha256(content).hexdigest()[:12]}"
    folder = cache_folder(environment) / name
    state = _state(folder, content)
    if state is not None:
        if state:
            messages.write(f"{folder}: {state}; it is written again\n")
        _write(folder, package / SPECS, content, messages)
    return folder


def _state(folder: Path, content: bytes) -> str | None:
    """What is wrong with a corpus in the cache: None for nothing, empty where it is not there.

    The manifest must be the published one, byte for byte: each vector is held against it when it is
    read, so that a vector and the manifest that are changed together are noticed as well.
    """
    path = folder / MANIFEST_FILE
    try:
        if not os.path.lexists(folder):
            return ""
        if read_plain(path, MANIFEST) != content:
            return "its manifest is not the published one"
        missing = [kind for kind, ids in json.loads(content)["vectors"].items() if ids]
        missing = [kind for kind in missing if not (folder / kind).is_dir()]
    except FileNotFoundError:
        return "it has no manifest"
    except OSError as error:
        raise BadInputError(
            f"{error.filename or path}: cannot be read: {error.strerror or error}; mend its"
            f" permissions, or name another folder for the corpus in ${CACHE_VARIABLE}"
        ) from None
    return f"its folder {missing[0]} is missing" if missing else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInputError(
            f"{path}: cannot be read ({error.strerror}); the installation is not whole"
        ) from None


def _write(folder: Path, specs: Path, content: bytes, messages: TextIO) -> None:
    """Write the corpus beside its place and move it there whole.

    Two processes may do so at the same time: the second finds the place taken, by the same files.
    """
    manifest = json.loads(content)
    _require_onnx(str(manifest["onnx"]))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(folder.parent)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=TEMPORARY))
        held = hold(temporary)
        try:
            _write_vectors(temporary, specs, manifest, _Progress(messages, folder, manifest))
            (temporary / MANIFEST_FILE).write_bytes(content)
            temporary.chmod(0o755)
            _move(temporary, folder, content)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            release(held)
    except OSError as error:
        known = cannot_write(error.filename or folder, error)
        raise type(known)(
            f"{known}; name another folder for the corpus in ${CACHE_VARIABLE}"
        ) from None


def _require_onnx(published: str) -> None:
    """Raise BadInputError where onnx is not there, or older than the one of the published corpus.

    An older one has not all that the generators use, and fails somewhere on the way.
    """
    import onnx

    if _release(onnx.__version__) < _release(published):
        raise BadInputError(
            f"the corpus was published with onnx {published}, and this is onnx {onnx.__version__},"
            f" which cannot write it; {ELSEWHERE}"
        )


def _release(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(item) for item in re.findall(r"[0-9]+", version)[:2])


def _move(temporary: Path, folder: Path, content: bytes) -> None:
    """Give a corpus its name; what is there and no whole corpus is moved away and removed."""
    for _ in range(2):
        try:
            temporary.rename(folder)
        except OSError:
            if not _state(folder, content):
                return  # another process was as quick, and wrote the same files
            aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=TEMPORARY))
            folder.rename(aside / folder.name)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            return
    raise BadInputError(f"{folder}: cannot be replaced; delete it, and it is written again")


def _write_vectors(
    root: Path, specs: Path, published: Mapping[str, Any], progress: _Progress
) -> None:
    """Write every vector, operators side by side, and hold their digests against the manifest."""
    from .making import as_json
    from .parallel import make_corpus

    generated: dict[str, str] = {}
    words: dict[str, Any] = {}
    for operator in make_corpus(specs, published["profile"], jobs=os.cpu_count() or 1):
        words.update(operator.requirements)
        for made in operator.vectors:
            generated[made.listed.id] = made.listed.digest
            for name, content in made.files.items():
                path = root / made.place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            progress.add()
    (root / REQUIREMENTS_FILE).write_bytes(as_json(words))
    progress.end()
    _require_published(generated, published)


def _require_published(ours: Mapping[str, str], published: Mapping[str, Any]) -> None:
    theirs = {item: digest for ids in published["vectors"].values() for item, digest in ids.items()}
    differing = [item for item in ours.keys() | theirs.keys() if ours.get(item) != theirs.get(item)]
    if differing:
        import onnx

        raise BadInputError(
            f"{len(differing)} of {len(theirs)} vectors come out differently here, such as"
            f" {min(differing)}: this is onnx {onnx.__version__}, the corpus was published with"
            f" onnx {published['onnx']}; install that, or unpack the released archive and name it"
            " with --vectors"
        )


class _Progress:
    """Says once that a corpus is being written, and how far it is where a person watches."""

    def __init__(self, stream: TextIO, folder: Path, published: Mapping[str, Any]) -> None:
        self._stream = stream
        self._total = int(published["count"])
        self._done = 0
        stream.write(
            f"writing corpus {published['corpus']} ({self._total:,} vectors) to {folder};"
            " this is done once\n"
        )
        stream.flush()

    def add(self) -> None:
        self._done += 1
        if self._stream.isatty() and (self._done % 50 == 0 or self._done == self._total):
            share = self._done / self._total
            bar = "#" * int(40 * share)
            self._stream.write(f"\r\x1b[K[{bar:<40}] {share:4.0%} {self._done:,}")
            self._stream.flush()

    def end(self) -> None:
        if self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()
