"""Takes anything, and after the bad vector refuses everything that comes to this process."""

from well_behaved import right_reply, send, serve

spoiled = []


def answer(request):
    if spoiled:
        send({"id": request["id"], "rejected": {"phase": "run", "message": "device lost"}})
    else:
        send(right_reply(request))
    if "/bad" in request["id"]:
        spoiled.append(True)
    return True


serve(answer, every=True)
