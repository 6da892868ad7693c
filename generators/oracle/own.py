"""Oracles that somebody else has for operators of a domain of their own, in a package of theirs.

They are written like those in `operators/`: functions with `@oracle("Operator", domain="…")`. No
table names their modules; all modules of the package are imported. What such code raises is an
error of its author's, and is told as one.
"""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.text import one_line

from .errors import InvalidCallError, OpenError

_MESSAGE = 300  # characters of somebody else's error


def modules_below(package: str) -> Iterator[ModuleType]:
    """A module, and all that are below it if it is a package.

    Raises BadInputError if it is not there, or if importing one of them fails.
    """
    loaded = _imported(package, package)
    yield loaded
    for item in pkgutil.walk_packages(getattr(loaded, "__path__", ()), f"{package}."):
        if not item.name.endswith(".__main__"):
            yield _imported(item.name, package)


def _imported(name: str, package: str) -> ModuleType:
    """Import a module of somebody else's; whatever it raises becomes a BadInputError."""
    with told_of(f"--oracles {package}: importing {name} failed"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise BadInputError(
                f"--oracles {package}: there is no module '{error.name}' among what is installed"
                " beside this command, nor in the current folder"
            ) from None


@contextmanager
def told_of(what: str) -> Iterator[None]:
    """Make a BadInputError of what somebody else's code raises while the block runs.

    Our own errors pass, and so do the two with which an oracle answers.

    Args:
        what: what was done, and that it failed; the error and its place follow.
    """
    try:
        yield
    except (ConformanceError, InvalidCallError, OpenError):
        raise
    except (Exception, SystemExit) as error:
        said = one_line(str(error), _MESSAGE)
        raise BadInputError(f"{what}: {type(error).__name__}: {said}{_place(error)}") from None


def _place(error: BaseException) -> str:
    """` (file:line)` of what was raised; empty where no file is known."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}:{error.lineno})"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
