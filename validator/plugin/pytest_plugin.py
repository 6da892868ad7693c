"""The options that this package adds to pytest, and nothing else.

pytest imports this module in every run if the package is installed, so it imports nothing itself;
the rest (`pytest_vectors`) is loaded if `--onnx-backend` is given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_PLUGIN = "onnx_conformance_vectors"  # the entry point has the other name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("onnx-conformance", "ONNX conformance vectors")
    group.addoption(
        "--onnx-backend",
        metavar="NAME",
        help="judge this backend: a test for each vector; names as in `onnx-validate backends`",
    )
    group.addoption(
        "--onnx-baseline", metavar="FILE", help="the failures that you know about: strict xfail"
    )
    group.addoption(
        "--onnx-include-from",
        metavar="DIR",
        help="the baseline may include files of this folder, too, not of its own alone",
    )
    group.addoption(
        "--onnx-strict-new",
        action="store_true",
        help="fail also vectors that are newer than the corpus of the baseline",
    )
    group.addoption(
        "--onnx-vectors", metavar="DIR", help="the vectors folder (default: the published corpus)"
    )
    group.addoption(
        "--onnx-select",
        metavar="ID",
        action="append",
        default=[],
        help="only vectors of this id or pattern, e.g. 'reshape-14/*'; may be given again",
    )
    group.addoption(
        "--onnx-corpus-as-of",
        metavar="RELEASE",
        help="only vectors that were in this release of the corpus, e.g. 0.2.0",
    )
    group.addoption(
        "--onnx-size",
        choices=("small", "all"),
        default=None,
        help="small: only vectors without a file above 16 KiB (default: all)",
    )
    group.addoption(
        "--onnx-python", metavar="PATH", help="interpreter that has the runtime (default: this one)"
    )
    group.addoption(
        "--onnx-timeout",
        metavar="SECONDS",
        type=float,
        default=None,
        help="seconds for one vector",
    )
    group.addoption(
        "--onnx-accuracy",
        metavar="PROFILE",
        choices=("ieee", "gpu", "onnx"),
        default=None,
        help="which limits of a vector count: ieee (default), gpu or onnx",
    )
    group.addoption(
        "--onnx-profile",
        metavar="FILE",
        help="what the runtime claims, and nothing else is tested: a YAML file, or a name of"
        " `onnx-validate profile list` (default: what a command: backend says in its handshake)",
    )
    group.addoption(
        "--onnx-only", action="store_true", help="collect the vectors and no other tests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the rest of the plugin if a backend is to be judged."""
    if config.getoption("--onnx-backend"):
        from .pytest_vectors import VectorsPlugin

        config.pluginmanager.register(VectorsPlugin(config), _PLUGIN)
        return
    given = [option for option in DEPENDENT if config.getoption(option)]
    if given:
        import pytest

        raise pytest.UsageError(f"{', '.join(given)}: needs --onnx-backend NAME")


# Named one by one: another plugin or a conftest.py may have an `--onnx-` option of its own.
DEPENDENT = (
    "--onnx-baseline",
    "--onnx-include-from",
    "--onnx-strict-new",
    "--onnx-vectors",
    "--onnx-select",
    "--onnx-corpus-as-of",
    "--onnx-size",
    "--onnx-python",
    "--onnx-timeout",
    "--onnx-accuracy",
    "--onnx-profile",
    "--onnx-only",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:  # noqa: ARG001  pytest passes by name
    """With --onnx-only, no file is read."""
    return True if config.getoption("--onnx-only") else None
