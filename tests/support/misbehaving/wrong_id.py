from well_behaved import right_reply, send, serve


def spoil(request):
    send({**right_reply(request), "id": "shape-15/another/float32"})
    return True


serve(spoil)
