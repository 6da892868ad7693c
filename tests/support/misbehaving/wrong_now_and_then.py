"""Answers as its plan says: `wrong,right` is wrong at first and right for ever after.

The first argument is a folder in which it counts its runs of each vector, the second the plan.
"""

import sys
from pathlib import Path

from well_behaved import right_reply, send, serve

COUNTS, PLAN = Path(sys.argv[1]), sys.argv[2].split(",")


def spoil(request):
    name = request["id"].replace("/", "_")
    run = len(list(COUNTS.glob(f"{name}.*")))
    (COUNTS / f"{name}.{run}").touch()
    reply = right_reply(request)
    if PLAN[min(run, len(PLAN) - 1)] == "wrong":
        reply["outputs"][0][0]["type"] = "uint64"
    send(reply)
    return True


serve(spoil)
