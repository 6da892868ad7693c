import base64

from well_behaved import send, serve


def spoil(request):
    data = b"".join(item.to_bytes(4, "little") for item in (2, 5))
    output = {"type": "int32", "shape": [2], "data": base64.b64encode(data).decode()}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
