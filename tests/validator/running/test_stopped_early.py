"""A signal that comes before the first verdict: its own code, and no process is left."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from misbehaviour import harness
from runnable_corpus import runnable_corpus

# A shell that starts the tests in the background lets them ignore SIGINT, and they pass that on.
PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " signal.signal(signal.SIGHUP, signal.SIG_DFL);"
    " from onnx_conformance.validator.main import main; sys.exit(main())"
)


def silent_child(parent: int) -> str:
    """The process id of a child that only sleeps; the test is ended from outside if none comes."""
    while True:
        # A process that ends while it is looked at is no longer a file, or no longer a process.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
                if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"sleep"):
                    return child
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("silent_from", [1, 2])
def test_a_signal_during_the_handshake_has_its_code_and_leaves_nothing(
    tmp_path: Path, number: int, silent_from: int
) -> None:
    # The first process is asked what the runtime claims, the second is that of the run.
    program = tmp_path / "harness.sh"
    program.write_text(
        f"echo >> {tmp_path}/started\n"
        f"[ $(wc -l < {tmp_path}/started) -lt {silent_from} ] || exec sleep 1000\n"
        f"exec {shlex.join(harness('well_behaved'))}\n"
    )
    root = runnable_corpus(tmp_path / "vectors", ["one"])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    words = ["run", "--backend", f"command:sh {program}", "--vectors", str(root)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:
        child = silent_child(process.pid)
        process.send_signal(number)
        _, said = process.communicate()
    assert (128 + number, b"onnx-validate: stopped\n") == (process.returncode, said)
    assert not Path(f"/proc/{child}").exists()
    assert [] == list(temporary.iterdir())
