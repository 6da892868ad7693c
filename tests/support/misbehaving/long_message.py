"""Refuses the bad vector with a reason of twenty million characters."""

from well_behaved import send, serve


def spoil(request):
    send({"id": request["id"], "rejected": {"phase": "run", "message": "no " * 7_000_000}})
    return True


serve(spoil)
