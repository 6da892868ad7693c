"""Good protocol around wrong answers; ODD says in which way, `nothing` answers none at all."""

import base64
import os

from well_behaved import right_reply, send, serve

ODD = os.environ["ODD"]


def swapped(value):
    data = base64.b64decode(value["data"])
    words = [data[index : index + 8][::-1] for index in range(0, len(data), 8)]
    return {**value, "data": base64.b64encode(b"".join(words)).decode()}


def narrowed(value):
    data = base64.b64decode(value["data"])
    words = [data[index : index + 4] for index in range(0, len(data), 8)]
    return {**value, "type": "int32", "data": base64.b64encode(b"".join(words)).decode()}


CHANGES = {
    "swapped": swapped,
    "narrowed": narrowed,
    "sequence": lambda value: {"sequence": [value]},
    "absent": lambda _: {"optional": None},
    "foreign": lambda _: {"foreign": "a dict"},
}


def spoil(request):
    if ODD == "takes anything" and not request["data_sets"]:
        send({"id": request["id"], "outputs": []})
        return True
    if ODD == "nothing":
        send({"id": request["id"], "unsupported": "no operator yet"})
        return True
    if request["outputs"] != ["shape"] or ODD not in CHANGES:
        return False
    reply = right_reply(request)
    for values in reply.get("outputs", ()):
        values[0] = CHANGES[ODD](values[0])
    send(reply)
    return True


serve(spoil)
