"""The bad vector is answered rightly and spoils the process: the next one is answered wrongly."""

import json
import sys

from well_behaved import describe, right_reply, send

spoiled = False
for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        reply = right_reply(request)
        if spoiled:
            reply["outputs"][0][0]["data"] = "/////////38AAAAAAAAAAA=="
        send(reply)
        spoiled = "/bad" in request["id"]
