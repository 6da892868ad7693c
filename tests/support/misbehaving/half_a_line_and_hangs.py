import time

from well_behaved import serve, write


def spoil(request):
    write('{"id": "' + request["id"] + '", "outp')
    time.sleep(1000)


serve(spoil)
