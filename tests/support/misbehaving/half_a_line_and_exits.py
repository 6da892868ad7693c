import os

from well_behaved import serve, write


def spoil(request):
    write('{"id": "' + request["id"] + '", "outp')
    os._exit(0)


serve(spoil)
