import os
import time

from well_behaved import serve


def spoil(_request):
    os.close(1)
    time.sleep(1000)


serve(spoil)
