"""Answers one vector rightly, and dies on the next, whichever it is."""

import json
import os
import sys

from well_behaved import describe, right_reply, send

served = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        served += 1
        if served == 2:
            os.abort()
        send(right_reply(request))
