"""`onnx-validate backends`: list the backends, and which of them can run here."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys

from onnx_conformance.core.errors import BackendUnusableError, ExitCode

from ..host.known_backends import KNOWN_BACKENDS, OWN_BACKENDS, KnownBackend

# A program for the interpreter in question. It imports nothing, and prints what could be imported.
_PROBE = """
import importlib.util, json, sys
def there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
print(json.dumps([name for name in sys.argv[1:] if there(name)]))
"""
PROBE_SECONDS = 60


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--python", metavar="PATH", help="interpreter that has the runtimes (default: this one)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object for each backend")


def execute(arguments: argparse.Namespace) -> int:
    """Print every backend."""
    needed = sorted({name for backend in KNOWN_BACKENDS for name in backend.modules})
    found = _importable(arguments.python or sys.executable, needed)
    for backend in KNOWN_BACKENDS:
        lacks = [name for name in backend.modules if name not in found]
        print((_as_json if arguments.json else _in_words)(backend, lacks))
    if not arguments.json:
        for own in OWN_BACKENDS:
            print(f"{own.name:20} {'usable':14} {own.summary}")
        print(
            "\nAny other: python:MODULE[:ATTR] with the interface of onnx.backend.base.Backend,"
            "\nor 'command:PROGRAM ...' that speaks protocol 1 (docs/protocol.md). All but command:"
            "\nmay be followed by +freeze, +static, +reload: what is changed in a model before the"
            "\nruntime sees it (docs/runtimes.md). A command: harness adapts by itself and says so"
            "\nwhen it is asked to describe itself."
        )
    return ExitCode.OK


def _importable(python: str, modules: list[str]) -> frozenset[str]:
    if shutil.which(python) is None:
        raise BackendUnusableError(f"--python {python}: no such interpreter")
    command = [python, "-c", _PROBE, *modules]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=True)
        return frozenset(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise BackendUnusableError(f"--python {python}: does not run as Python: {error}") from None


def _as_json(backend: KnownBackend, lacks: list[str]) -> str:
    return json.dumps(
        {
            "name": backend.name,
            "usable": not lacks,
            "lacks": lacks,
            "summary": backend.summary,
            "adapted": [f"{backend.name}+{suffix}" for suffix in backend.adapted],
            "install": f"pip install {backend.install}",
            "remark": backend.remark,
        }
    )


def _in_words(backend: KnownBackend, lacks: list[str]) -> str:
    state = "not installed" if lacks else "usable"
    lines = [f"{backend.name:20} {state:14} {backend.summary}"]
    indent = " " * 36
    if backend.adapted:
        names = ", ".join(f"{backend.name}+{suffix}" for suffix in backend.adapted)
        lines.append(f"{indent}adapted: {names}")
    if backend.remark:
        lines.append(f"{indent}{backend.remark}")
    if lacks:
        lines.append(f"{indent}pip install {backend.install}")
    return "\n".join(lines)
