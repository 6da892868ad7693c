"""Finds and removes what killed writers left: a lock ends with its process."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path

TEMPORARY = ".writing-"
# Between making a file or folder and locking it, a writer has no lock: young ones are left alone.
_YOUNG = 60.0


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files and folders in `folder` if their writer has ended."""
    try:
        import fcntl
    except ImportError:
        return
    for path in folder.glob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime < _YOUNG or path.is_symlink():
                continue
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()
            finally:
                os.close(descriptor)
