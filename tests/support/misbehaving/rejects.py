"""Rejects what is invalid, and the bad vector with it."""

import json
import sys

from well_behaved import describe, right_reply, send

for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        if "/bad" in request["id"] or "/invalid" in request["id"]:
            rejected = {"phase": "load", "message": "no kernel"}
            send({"id": request["id"], "rejected": rejected})
        else:
            send(right_reply(request))
