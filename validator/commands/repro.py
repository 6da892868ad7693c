"""`onnx-validate repro`: a script that shows a failure with the runtime alone, for its authors."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from onnx_conformance.core.corpus.vectors import slug
from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.systems import command_line
from onnx_conformance.core.text import one_line

from ..exploring.supplying.drawn_vectors import with_explored
from ..host.backends import COMMAND_PREFIX, find_backend
from ..repro.bundle import SCRIPT, bundle_files
from ..repro.issue import ISSUE, Shown, issue_text
from ..repro.plain import plain_script
from ..repro.subject import Subject, read_subject
from .shared.options import add_accuracy_argument

SECONDS = 300
EPILOG = """\
What is written: repro.py, one file with the runtime's own API, for onnxruntime, onnx.reference and
the checker where NumPy has the vector's types; else repro.py, request.json, the models and the
harness itself. repro.py ends with 0 where the runtime does what is required, with 3 where it does
not, and with any other code where it could not run. It needs nothing of this project
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.set_defaults(needs=("onnx", "numpy"))
    parser.add_argument("id", metavar="ID", help="the vector's id")
    parser.add_argument("--backend", required=True, metavar="NAME", help="as in `run`")
    parser.add_argument(
        "--name", metavar="TEXT", help="what the text of the issue calls the backend, as in `run`"
    )
    parser.add_argument("--python", metavar="PATH", help="interpreter that has the runtime")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder to write into (default: ./repro-VECTOR)"
    )
    parser.add_argument(
        "--issue",
        action="store_true",
        help="run it once, and write the text of an issue with what it printed",
    )
    add_accuracy_argument(parser)
    add_vectors_argument(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Write the script and what it needs, and say how to run it."""
    backend = find_backend(arguments.backend, arguments.python)
    corpus = with_explored(open_vectors(arguments.vectors), [arguments.id])
    subject = read_subject(corpus, arguments.id, arguments.accuracy)
    folder = arguments.output or Path(f"repro-{slug(subject.vector.id)}")
    script = plain_script(subject, arguments.backend)
    files: Mapping[str, str | bytes]
    files = {SCRIPT: script} if script else bundle_files(subject, backend.command)
    for name, content in files.items():
        _write(folder / name, content)
    python = arguments.python or sys.executable
    print(f"wrote {folder / SCRIPT}" + ("" if script else f" and {len(files) - 1} files beside it"))
    if arguments.issue:
        _write_issue(subject, _called(arguments), folder, script, python)
    print(f"run it: {command_line([python, str(folder / SCRIPT)])}")
    return ExitCode.OK


def _called(arguments: argparse.Namespace) -> str:
    """What the text of an issue calls the backend."""
    if arguments.name is not None:
        return one_line(arguments.name)
    backend: str = arguments.backend
    return "the harness of this runtime" if backend.startswith(COMMAND_PREFIX) else backend


def _write_issue(
    subject: Subject, name: str, folder: Path, script: str | None, python: str
) -> None:
    """Run the script, and write the text of an issue; also an archive if there are more files."""
    try:
        done = subprocess.run(
            [python, str((folder / SCRIPT).absolute())],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        code, output = done.returncode, done.stdout.decode("utf-8", "backslashreplace")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInputError(f"{folder / SCRIPT}: cannot be run: {error}") from None
    archive = ""
    if script is None:
        shutil.rmtree(folder / "harness" / "__pycache__", ignore_errors=True)
        archive = f"{folder.name}.zip"
        shutil.make_archive(str(folder.absolute()), "zip", folder)
        print(f"wrote {folder.with_name(archive)}: attach it")
    shown = Shown(script, archive, code, output)
    write_whole(folder / ISSUE, issue_text(subject, name, shown))
    print(f"wrote {folder / ISSUE}; repro.py ended with {code}")


def _write(path: Path, content: str | bytes) -> None:
    if isinstance(content, str):
        write_whole(path, content)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror}") from None
