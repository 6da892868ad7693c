"""A shape of 100,000 dimensions: two megabytes of JSON."""

from well_behaved import send, serve


def spoil(request):
    output = {"type": "int64", "shape": [1 << 62] * 100_000, "data": ""}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
