from well_behaved import send, serve


def spoil(request):
    output = {"type": "int64", "shape": [3], "data": "AAAAAAAAAAA="}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
