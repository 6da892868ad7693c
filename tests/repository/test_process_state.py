"""A test that leaves its process otherwise than it was fails, as those after it would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent

LEAVING = {
    "a limit": "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, resource.RLIM_INFINITY))",
    "a handler": "signal.signal(signal.SIGTERM, lambda *_: None)",
    "another folder": "os.chdir('/')",
}


@pytest.mark.parametrize("statement", LEAVING.values(), ids=list(LEAVING))
@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_a_test_fails_that_leaves_something(statement: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"))
    (tmp_path / "test_one.py").write_text(
        f"import os, resource, signal\ndef test_one():\n    {statement}\n"
    )
    words = ["-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir"]
    done = subprocess.run(
        [sys.executable, *words, str(tmp_path), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=tmp_path,
        env={"PYTHONPATH": str(TESTS / "support"), "PATH": "/usr/bin:/bin"},
    )
    assert 1 == done.returncode, done.stdout
    assert "1 passed, 1 error" in done.stdout
