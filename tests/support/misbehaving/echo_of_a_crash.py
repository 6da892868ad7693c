"""The bad vector is answered rightly and spoils the memory: the one behind it dies."""

import json
import os
import sys

from well_behaved import describe, right_reply, send

poisoned = False
for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        if poisoned:
            os.abort()
        send(right_reply(request))
        poisoned = "/bad" in request["id"]
