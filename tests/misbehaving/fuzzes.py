"""Answers the good vectors rightly, and each bad one with what the folder SPOILED holds for it.

A file `describe` there is its handshake. What it says is mostly its last word: to wait for the end
of a silence costs a second, and to see that a process has ended costs nothing.
"""

import os
import select
import sys
from pathlib import Path

from well_behaved import serve, write_bytes

FOLDER = Path(os.environ["SPOILED"])
STAYS = 16


def spoil(request):
    case = request["id"].split("/")[1]
    write_bytes((FOLDER / case).read_bytes() + b"\n")
    if int(case[1:6]) % STAYS:
        os._exit(0)
    return True


def describe():
    write_bytes((FOLDER / "describe").read_bytes() + b"\n")
    if not select.select([0], [], [], 0.5)[0]:
        sys.exit()


serve(spoil, describe if (FOLDER / "describe").exists() else None)
