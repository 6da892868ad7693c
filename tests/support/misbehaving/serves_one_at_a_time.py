"""Holds a device: a second process cannot start while the first one lives."""

import os
import sys
import time
from pathlib import Path

from well_behaved import right_reply, send, serve

try:
    os.close(os.open(os.environ["STARTS_ONCE"], os.O_CREAT | os.O_EXCL))
except FileExistsError:
    sys.exit("the device is busy")


def answer(request):
    time.sleep(0.1)
    send(right_reply(request))
    return True


serve(answer)
Path(os.environ["STARTS_ONCE"]).unlink()
