from well_behaved import serve


def spoil(_request):
    kept = []
    while True:
        kept.append(bytearray(16 << 20))


serve(spoil)
