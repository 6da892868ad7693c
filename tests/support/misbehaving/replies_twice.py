from well_behaved import right_reply, send, serve


def spoil(request):
    send(right_reply(request))
    return False


serve(spoil)
