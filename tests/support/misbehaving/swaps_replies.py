"""Answers the vector behind the bad one first, where it has been sent ahead."""

import json
import sys

from well_behaved import right_reply, send, serve


def spoil(request):
    following = json.loads(sys.stdin.readline())
    if following["command"] == "run":
        send(right_reply(following))
    send(right_reply(request))
    return True


serve(spoil)
