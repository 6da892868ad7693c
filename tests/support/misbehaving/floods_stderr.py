import os

from well_behaved import serve


def spoil(_request):
    while True:
        os.write(2, b"warning: this kernel is deprecated\n" * 1000)


serve(spoil)
