import os

from well_behaved import serve


def spoil(_request):
    while True:
        os.write(1, b"still running, please wait\n" * 2000)


serve(spoil)
