"""Writes a shape without dimensions as null, as a Go program does with a nil slice.

What it only hands back keeps the list that it was given.
"""

from well_behaved import right_reply, send, serve


def spoil(request):
    reply = right_reply(request)
    for values in reply.get("outputs", ()):
        if request["outputs"] != ["same"] and not values[0]["shape"]:
            values[0]["shape"] = None
    send(reply)
    return True


serve(spoil)
