import time

from well_behaved import right_reply, send, serve


def answer(request):
    time.sleep(0.25)
    send(right_reply(request))
    return True


serve(answer, name="slow")
