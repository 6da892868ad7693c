"""Answers `describe` with what the file SPOILED holds, and ends where no request follows: to see
that a process has ended costs less than to wait for the end of a silence.
"""

import os
import select
import sys

from well_behaved import serve, write_bytes


def describe():
    with open(os.environ["SPOILED"], "rb") as stream:  # noqa: PTH123  pathlib takes long to import
        write_bytes(stream.read() + b"\n")
    if not select.select([0], [], [], 0.5)[0]:
        sys.exit()


serve(answer=describe)
