from well_behaved import serve, write


def spoil(request):
    write('{"id": "' + request["id"] + '", "outputs": [[NaN]]}\n')
    return True


serve(spoil)
