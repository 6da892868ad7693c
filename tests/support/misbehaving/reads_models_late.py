"""Takes it ill when the file of a model is written while it may still be read for a request."""

import os
from pathlib import Path

from well_behaved import right_reply, send, serve

AGE = (1, 1)
seen = set()


def spoil(request):
    path = request["model"]["path"]
    if path in seen and Path(path).stat().st_mtime != AGE[1]:
        send({"id": request["id"], "error": f"{path} was written again"})
        return True
    seen.add(path)
    os.utime(path, AGE)
    send(right_reply(request))
    return True


serve(spoil)
