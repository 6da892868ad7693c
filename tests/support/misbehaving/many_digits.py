"""A shape whose elements, counted, are a number of more digits than Python puts into words."""

from well_behaved import send, serve


def spoil(request):
    output = {"type": "int64", "shape": [1 << 62] * 300, "data": ""}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
