"""Declares in its handshake what CLAIMS says, and implements no vector of the bad ones."""

import json
import os

from well_behaved import send, serve


def refuse(request):
    send({"id": request["id"], "unsupported": "not implemented"})
    return True


serve(refuse, profile=json.loads(os.environ["CLAIMS"]))
