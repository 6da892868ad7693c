from well_behaved import serve, write


def spoil(_request):
    write('loading kernels ...\n[1, 2]\n"text"\nid "shape-15/bad/float32" loaded\n\n')
    return False


serve(spoil)
