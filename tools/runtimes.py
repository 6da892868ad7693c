"""Where the runtimes are that tests and scoreboard use, and how they get there.

    python -m tools.runtimes [NAME ...]

Each runtime has a virtual environment of its own below build/runtimes/, because their requirements
contradict each other. `make test-runtimes` runs this, which makes them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS, KnownBackend

ROOT = Path(__file__).parent.parent
FOLDER = Path(os.environ.get("ONNX_CONFORMANCE_RUNTIMES", ROOT / "build" / "runtimes"))
NODE = "node"
# Decoders of others, against which tools/images.py holds what is recorded of encoded images. They
# are not where our own commands run: with Pillow onnx.reference answers other vectors.
DECODERS = "image-decoders"
_DECODERS = ("pillow", "opencv-python-headless")


def environment_of(backend: KnownBackend) -> Path:
    """The virtual environment of a backend; backends with the same packages share one."""
    return FOLDER / backend.install.replace(" ", "_")


def is_here(backend: KnownBackend) -> bool:
    """Whether our own interpreter has what a backend needs."""
    return all(importlib.util.find_spec(name.partition(".")[0]) for name in backend.modules)


def main() -> int:
    """Install every runtime; exits 1 where one could not be installed, after trying all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "names", nargs="*", help=f"backends to install (default: all, node and {DECODERS})"
    )
    names = parser.parse_args().names
    known = {backend.name: backend for backend in KNOWN_BACKENDS}
    alone = {NODE: install_node, DECODERS: install_decoders}
    failed = [
        name
        for name in names or [*known, *alone]
        if not (alone[name]() if name in alone else install(known[name]))
    ]
    if failed:
        print(f"not installed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def install(backend: KnownBackend) -> bool:
    """Install a backend's runtime in its environment; False where that fails."""
    if is_here(backend):
        return True
    return _install(backend.name, environment_of(backend), ["numpy", *backend.install.split()])


def install_decoders() -> bool:
    """Install what decodes images beside what is recorded; False where that fails."""
    return _install(DECODERS, FOLDER / DECODERS, _DECODERS)


def _install(name: str, folder: Path, packages: Sequence[str]) -> bool:
    if (folder / "installed").exists():
        return True
    print(f"installing {name}: pip install {' '.join(packages)}", flush=True)
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(folder / "bin" / "pip"), "install", "-qqq", *packages],
    )
    for command in commands:
        if subprocess.run(command, check=False).returncode != 0:
            return False
    (folder / "installed").touch()
    return True


def install_node() -> bool:
    """Install what runs in Node; False where that fails."""
    folder = FOLDER / NODE
    if (folder / "installed").exists():
        return True
    if shutil.which("npm") is None:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "examples" / "javascript" / "package.json", folder)
    print("installing onnxruntime-web and onnxruntime-node", flush=True)
    # Without --ignore-scripts onnxruntime-node downloads CUDA libraries from elsewhere.
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    if subprocess.run(command, check=False, cwd=folder).returncode != 0:
        return False
    (folder / "installed").touch()
    return True


if __name__ == "__main__":
    sys.exit(main())
