import os
import signal
import sys

from well_behaved import serve


def spoil(_request):
    sys.stderr.write("about to die\n")
    os.kill(os.getpid(), signal.SIGSEGV)


serve(spoil)
