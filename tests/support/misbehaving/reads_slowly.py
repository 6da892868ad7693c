"""Takes its time over each piece of a large request, as a thin line to another machine does."""

import json
import os
import time

from well_behaved import describe, right_reply, send

held = b""
while True:
    piece = os.read(0, 1 << 16)
    if not piece:
        break
    held += piece
    if len(held) > 1 << 16:
        time.sleep(0.05)
    while b"\n" in held:
        line, _, held = held.partition(b"\n")
        request = json.loads(line)
        if request["command"] == "describe":
            describe()
        elif request["command"] == "run":
            send(right_reply(request))
