"""`onnx-validate repro`: show a failure with the runtime alone, in one script."""

from __future__ import annotations

import argparse  # noqa: TC003  part of the signature that every command has
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.requirements import requirements, sentences
from onnx_conformance.core.corpus.vectors import (
    MODEL_FILE,
    data_sets_of,
    permitted_outputs_of,
    slug,
)
from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, vectors_folder
from onnx_conformance.core.errors import BackendUnusableError, BadInputError, ExitCode, UsageError
from onnx_conformance.core.files import write_whole

from ..host.backends import COMMAND_PREFIX, HARNESSES, find_backend
from ..host.protocol import NotJsonError, describe_request, parse_object, run_request, stop_request
from ..repro.reproducing import MODEL, Subject, script
from .accuracy import add_accuracy_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..host.backends import Backend

DESCRIBE_SECONDS = 60
_SHELL = """#!/bin/sh
# Vector {id} of onnx-conformance: {purpose}
# Sends one request of protocol 1 to the harness and prints its reply.
cd "$(dirname "$0")" || exit 2
{command} < requests.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("id", metavar="ID", help="the vector's id")
    parser.add_argument("--backend", required=True, metavar="NAME", help="as in `run`")
    parser.add_argument("--python", metavar="PATH", help="interpreter that has the runtime")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder to write into (default: ./repro-VECTOR)"
    )
    add_accuracy_argument(parser)
    add_vectors_argument(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Write the script and the model, and say how to run them."""
    backend = find_backend(arguments.backend, arguments.python)
    root = vectors_folder(arguments.vectors)
    subject = replace(_subject(root, arguments.id), accuracy=arguments.accuracy)
    folder = arguments.output or Path(f"repro-{slug(subject.vector.id)}")
    if backend.name.startswith(COMMAND_PREFIX):
        files = _for_command(subject, backend, folder)
        run = f"sh {shlex.quote(str(folder / 'repro.sh'))}"
    else:
        harness, *options = backend.command[backend.command.index(str(HARNESSES)) + 1 :]
        files = script(subject, backend.name, harness, tuple(options))
        run = shlex.join([arguments.python or sys.executable, str(folder / "repro.py")])
    _write(folder, files)
    print(f"wrote {', '.join(str(folder / name) for name in files)}\nrun it: {run}")
    return ExitCode.OK


def _subject(root: Path, vector_id: str) -> Subject:
    corpus = open_corpus(root)
    entry = corpus.entries.get(vector_id)
    if entry is None:
        raise UsageError(f"no vector '{vector_id}' in {root}; `onnx-validate list` lists the ids")
    loaded = load(entry)
    where = str(loaded.directory)
    model = loaded.files.get(MODEL_FILE)
    if model is None:
        raise BadInputError(f"{where}: has no {MODEL_FILE}")
    data_sets = data_sets_of(loaded.vector, loaded.files, where)
    permitted = permitted_outputs_of(loaded.vector, loaded.files, where)
    if permitted:
        first = next(iter(permitted.values()))
        data_sets = tuple(replace(item, outputs=first) for item in data_sets)
    words = sentences(requirements(root), loaded.vector.operator, loaded.vector.covers)
    return Subject(loaded.vector, model, data_sets, words, _in_words(model))


def _in_words(model: bytes) -> str:
    """The model as text; empty where onnx cannot print it, as some invalid ones."""
    import onnx

    try:
        return onnx.printer.to_text(onnx.load_model_from_string(model))
    except Exception:
        return ""


def _for_command(subject: Subject, backend: Backend, folder: Path) -> dict[str, str | bytes]:
    """A shell script that gives a harness one request."""
    path = Path(os.path.abspath(folder / MODEL))  # noqa: PTH100  resolve would follow links
    form = subject.model if _takes_inline(backend) else str(path)
    vector = subject.vector
    request = run_request(vector.id, form, vector.outputs, subject.data_sets)
    command = shlex.join(_absolute(word) for word in backend.command)
    return {
        MODEL: subject.model,
        "requests.jsonl": describe_request() + request + stop_request(),
        "repro.sh": _SHELL.format(id=vector.id, purpose=vector.purpose, command=command),
    }


def _takes_inline(backend: Backend) -> bool:
    """Whether the harness wants models inline, by its own words."""
    try:
        done = subprocess.run(
            backend.command,
            input=describe_request() + stop_request(),
            capture_output=True,
            timeout=DESCRIBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BackendUnusableError(f"backend '{backend.name}' does not start: {error}") from None
    for line in done.stdout.splitlines():
        try:
            return parse_object(line).get("model") == "inline"
        except NotJsonError:
            continue
    raise BackendUnusableError(f"backend '{backend.name}' does not answer 'describe'")


def _absolute(word: str) -> str:
    """A word of a command line from wherever the script is run: existing files by full path."""
    return os.path.abspath(word) if os.path.exists(word) else word  # noqa: PTH100, PTH110


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        if isinstance(content, str):
            write_whole(folder / name, content)
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        except OSError as error:
            raise BadInputError(f"{folder / name}: cannot be written: {error.strerror}") from None
