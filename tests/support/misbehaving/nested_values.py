"""A sequence of a sequence of a sequence, 400 deep."""

from well_behaved import send, serve


def spoil(request):
    value = {"sequence": []}
    for _ in range(400):
        value = {"sequence": [value]}
    send({"id": request["id"], "outputs": [[value]]})
    return True


serve(spoil)
