"""Answers nothing more and takes nothing more, but lives."""

import os
import time

from well_behaved import serve


def spoil(_request):
    os.close(0)
    time.sleep(1000)


serve(spoil)
