import os

from well_behaved import serve


def spoil(_request):
    while True:
        os.write(1, b"x" * 65536)


serve(spoil)
