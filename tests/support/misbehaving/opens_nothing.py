"""Takes models inline and refuses to open any file once it serves."""

import sys

from well_behaved import right_reply, send, serve

serving = []


def refuse(event, arguments):
    if serving and event == "open":
        raise PermissionError(f"this harness opens no file: {arguments[0]}")


def answer(request):
    serving.append(True)
    send(
        right_reply(request)
        if set(request["model"]) == {"data"}
        else {"id": request["id"], "error": "the model came as a path"}
    )
    return True


sys.addaudithook(refuse)
serve(answer, model="inline")
