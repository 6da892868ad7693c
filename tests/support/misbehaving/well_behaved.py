"""A harness that answers Shape, Size, and models with output 'same' (Identity), rightly, from the
request alone; what has no data set it rejects. The others here spoil it.

Standard library only, and no file is opened: it runs in any interpreter, and in a place that
has no view of the corpus. It imports little, as hundreds are started.
"""

import binascii
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
    write_bytes(text.encode())


def write_bytes(data):
    while data:
        data = data[os.write(1, data) :]


def encoded(data):
    return binascii.b2a_base64(data, newline=False).decode()


def shape_of(tensor):
    shape = tensor["shape"]
    data = b"".join(item.to_bytes(8, "little", signed=True) for item in shape)
    return {"type": "int64", "shape": [len(shape)], "data": encoded(data)}


def size_of(tensor):
    size = 1
    for item in tensor["shape"]:
        size *= item
    data = size.to_bytes(8, "little", signed=True)
    return {"type": "int64", "shape": [], "data": encoded(data)}


def right_reply(request):
    data_sets = request["data_sets"]
    if not data_sets:
        return {"id": request["id"], "rejected": {"phase": "load", "message": "no model"}}
    right = {"same": lambda tensor: tensor, "size": size_of}.get(request["outputs"][0], shape_of)
    answers = [[right(data_set[0])] for data_set in data_sets]
    return {"id": request["id"], "outputs": answers}


def serve(spoil=None, answer=None, *, every=False, **description):
    """Answer; `spoil(request)` is called first for the bad vectors, and may answer.

    With `every` it is called for all vectors. `answer()` stands in for the reply to `describe`.
    """
    for line in sys.stdin:
        request = json.loads(line)
        if request["command"] == "stop":
            return
        if request["command"] == "describe":
            answer() if answer else describe(**description)
        elif not ((every or BAD in request["id"]) and spoil and spoil(request)):
            send(right_reply(request))


if __name__ == "__main__":
    serve()
