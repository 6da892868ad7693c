import json
import sys

from well_behaved import describe, send

for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "describe":
        describe()
    elif request["command"] == "run":
        send({"id": request["id"], "error": "the driver is not loaded"})
