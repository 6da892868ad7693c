"""Thirty thousand outputs where one is due."""

from well_behaved import send, serve


def spoil(request):
    output = {"type": "int8", "shape": [0], "data": ""}
    send({"id": request["id"], "outputs": [[output] * 30_000]})
    return True


serve(spoil)
