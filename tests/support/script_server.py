"""Runs the scripts of pages, each in a child of one process that has imported what they all need.

As a program, it reads a script and the seconds that it may take as one line of JSON, and answers
with one: what the script printed on its standard output, and the last of its standard error. A
script that ends its process ends a child.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from typing import IO, NamedTuple, NoReturn

PACKAGES = ("numpy", "onnx.parser", "onnx.reference", "onnx.shape_inference", "onnxruntime")


class Printed(NamedTuple):
    """What a script printed."""

    stdout: str
    stderr: str


class ScriptServer:
    """The process, seen from the tests."""

    def __init__(self, python: str = sys.executable) -> None:
        """Start it; what `python` has not got of the packages is taken from those of the tests."""
        self._process = subprocess.Popen(
            [python, __file__, sysconfig.get_path("platlib")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, script: str, seconds: int = 60) -> Printed:
        """Run one script to its end."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([script, seconds]), file=self._process.stdin, flush=True)
        return Printed(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _serve() -> None:
    sys.path.extend(sys.argv[1:])
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # an interpreter of another runtime
    for line in sys.stdin:
        script, seconds = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                _run(script, seconds, out.fileno(), err.fileno())
            os.waitpid(child, 0)
            printed = [_content(out), _content(err)[-2000:]]
        print(json.dumps(printed), flush=True)  # noqa: T201  the answer


def _run(script: str, seconds: int, out: int, err: int) -> NoReturn:
    """What the child does: no more than `python -c` would, and then it ends without cleaning up."""
    signal.alarm(seconds)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    try:
        exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})  # noqa: S102  of our pages
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _content(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


if __name__ == "__main__":
    _serve()
