"""Ends, politely, after each reply: a harness that serves one vector and no more."""

import json
import sys

from well_behaved import describe, right_reply, send

for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        send(right_reply(request))
        sys.exit(0)
