import time

from well_behaved import serve


def spoil(_request):
    time.sleep(1000)


serve(spoil)
