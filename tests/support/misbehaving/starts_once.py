"""Cannot be started a second time: a licence server or a device that stays taken, say."""

import os
import sys
from pathlib import Path

from well_behaved import right_reply, send, serve

taken = Path(os.environ["STARTS_ONCE"])
if taken.exists():
    sys.exit("the device is busy")
taken.touch()


def spoil(request):
    if "WRONG" not in os.environ:
        os._exit(1)
    reply = right_reply(request)
    reply["outputs"][0][0]["type"] = "uint64"
    send(reply)
    return True


serve(spoil)
