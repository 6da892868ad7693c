"""What Windows lacks is taken away here, as far as a Linux machine can.

No process groups, few signals, no locks of files, and pipes that no selector can wait for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from misbehaviour import run_cases
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import BackendUnusableError
from onnx_conformance.validator.host import child
from onnx_conformance.validator.host.child import Child, Launch

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = ("one", "two", "three", "four")
# SIGKILL stays: the subprocess module of Linux itself sends it.
LACKING = """
import os, signal, sys
for name in ("fcntl", "grp", "posix1e", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "getpgid", "killpg", "mkfifo", "sched_getaffinity",
             "set_blocking", "setsid", "waitid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGUSR1", "SIGPIPE", "SIGALRM"):
    delattr(signal, name)
import onnx_conformance.validator.host.child as child
child.WINDOWS = True
"""


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where this process itself judges."""
    monkeypatch.setattr(child, "WINDOWS", True)
    for name in ("killpg", "set_blocking", "waitid"):
        monkeypatch.delattr(os, name)


def python(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LACKING + program, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_module_is_imported_without_what_windows_lacks() -> None:
    program = """
import importlib, pkgutil
import onnx_conformance.core, onnx_conformance.generators, onnx_conformance.validator
count = 0
for package in (onnx_conformance.core, onnx_conformance.generators, onnx_conformance.validator):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if ".harnesses" not in found.name and "skeletons" not in found.name:
            importlib.import_module(found.name)
            count += 1
print(count)
"""
    done = python(program)
    assert "" == done.stderr
    assert 100 < int(done.stdout)


def test_a_backend_is_judged_without_what_windows_lacks(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", OTHERS)
    program = """
from onnx_conformance.validator.main import main
sys.argv[0] = "onnx-validate"
sys.exit(main())
"""
    done = python(program, "run", "--backend", "reference", "--vectors", str(root), "--jobs", "2")
    assert (0, "") == (done.returncode, done.stderr), done.stderr
    assert " 4 " in done.stdout


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize(
    ("name", "verdict", "message"),
    [
        ("well_behaved", "pass", ""),
        ("segfaults", "crashed", "signal SIGSEGV; it said: about to die"),
        ("exits", "crashed", "exit 3"),
        ("panics", "crashed", "exit 101; it said: thread 'main' panicked"),
        ("hangs", "timed-out", "no reply within"),
        ("not_json", "protocol-error", "NaN is not JSON"),
        ("endless_line", "protocol-error", "more than 1 MiB on standard output"),
        ("floods_stderr", "timed-out", "no reply within"),
        ("closes_output", "crashed", "closed its standard output"),
        ("closes_input", "timed-out", "no reply within"),
    ],
)
def test_a_verdict_is_that_of_its_vector_alone(
    tmp_path: Path, name: str, verdict: str, message: str
) -> None:
    ran = run_cases(tmp_path, name, timeout=2)
    assert verdict == ran.rows["bad"].verdict
    assert message in ran.rows["bad"].message
    assert ["pass"] * len(OTHERS) == [ran.verdicts[case] for case in OTHERS]


@pytest.mark.usefixtures("lacking")
def test_what_a_child_wrote_before_its_end_is_read() -> None:
    program = (
        "import sys; sys.stdout.write('x' * 300_000 + chr(10)); sys.stderr.write('last words')"
    )
    one = Child(Launch((sys.executable, "-c", program)))
    end = time.monotonic() + 30
    while one.alive and time.monotonic() < end:
        one.read()
        time.sleep(0.005)
    one.read()
    one.keep_rest()
    one.kill()
    assert b"x" * 300_000 == one.next_line() or one.eof
    assert "last words" in one.stderr.text()


@pytest.mark.usefixtures("lacking")
def test_a_limit_that_the_system_lacks_is_said() -> None:
    with pytest.raises(BackendUnusableError, match="--memory-limit: this system has no such"):
        Child(Launch((sys.executable, "-c", "pass"), memory_limit=100))
