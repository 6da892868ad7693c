"""A harness that answers Shape rightly, from the request alone. The others here spoil it.

Standard library only, and no file is opened: it runs in any interpreter, and in a place that
has no view of the corpus.
"""

import base64
import json
import os
import sys

# Part of the ids of the bad vectors.
BAD = os.environ.get("SPOIL", "/bad")
DESCRIPTION = {"protocol": 1, "name": "shape", "version": "1", "model": "path"}


def describe(**changes):
    send({**DESCRIPTION, **changes})


def send(message):
    write(json.dumps(message) + "\n")


def write(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def shape_of(tensor):
    shape = tensor["shape"]
    data = b"".join(item.to_bytes(8, "little", signed=True) for item in shape)
    return {"type": "int64", "shape": [len(shape)], "data": base64.b64encode(data).decode()}


def right_reply(request):
    return {
        "id": request["id"],
        "outputs": [[shape_of(data_set[0])] for data_set in request["data_sets"]],
    }


def serve(spoil=None, **description):
    """Answer; `spoil(request)` is called first for the bad vectors, and may answer."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["command"] == "stop":
            return
        if request["command"] == "describe":
            describe(**description)
        elif not (BAD in request["id"] and spoil and spoil(request)):
            send(right_reply(request))


if __name__ == "__main__":
    serve()
