"""Says that it changes models before it runs them."""

from well_behaved import right_reply, send, serve


def answer(request):
    send(right_reply(request))
    return True


serve(answer, adapts=[{"adaptation": "freeze", "reason": "inputs become initializers"}])
