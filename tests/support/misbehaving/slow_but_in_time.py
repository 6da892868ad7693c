import time

from well_behaved import right_reply, send, serve


def answer(request):
    time.sleep(0.5)
    send(right_reply(request))
    return True


serve(answer, name="slow")
