"""Writes lines of one character for ever, as fast as it can."""

import os

from well_behaved import serve


def spoil(_request):
    while True:
        os.write(1, b"x\n" * 30_000)


serve(spoil)
