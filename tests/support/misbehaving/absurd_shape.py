"""Runs what must be refused, with a shape that no tensor has: a -1 that was not inferred."""

from well_behaved import send, serve


def spoil(request):
    output = {"type": "int64", "shape": [-1, 3], "data": ""}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
