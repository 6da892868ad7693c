"""Answers the bad vector, rightly, after its deadline."""

import time

from well_behaved import serve


def spoil(_request):
    time.sleep(1.5)
    return False


serve(spoil)
