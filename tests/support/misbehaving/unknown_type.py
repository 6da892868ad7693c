from well_behaved import send, serve


def spoil(request):
    output = {"type": "long", "shape": [], "data": "AAAAAAAAAAA="}
    send({"id": request["id"], "outputs": [[output]]})
    return True


serve(spoil)
