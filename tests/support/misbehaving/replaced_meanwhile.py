"""A program that is replaced while it is in use: gone with the bad vector, back a second later.

PROGRAM is the copy of this file that is run.
"""

import os
import subprocess
from pathlib import Path

from well_behaved import serve

PROGRAM = Path(os.environ["PROGRAM"])
TAKEN = PROGRAM.with_suffix(".taken")


def spoil(_request):
    if TAKEN.exists():
        return False
    PROGRAM.rename(TAKEN)
    back = f"sleep 1; cp '{TAKEN}' '{PROGRAM}'"
    subprocess.Popen(["/bin/sh", "-c", back], start_new_session=True)
    os._exit(3)


serve(spoil)
