from well_behaved import right_reply, send, serve


def spoil(request):
    reply = right_reply(request)
    reply["outputs"][0][0]["shape"].insert(0, 1)
    send(reply)
    return True


serve(spoil)
