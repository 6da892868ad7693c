"""Compiles when the first vector comes: slow once in each process, quick for ever after."""

import time

from well_behaved import right_reply, send, serve

waited = []


def answer(request):
    if not waited:
        time.sleep(2.5)
        waited.append(True)
    send(right_reply(request))
    return True


serve(answer, every=True)
