"""Speaks the protocol well, and refuses every model."""

from well_behaved import send, serve


def spoil(request):
    send({"id": request["id"], "rejected": {"phase": "load", "message": "no"}})
    return True


serve(spoil)
