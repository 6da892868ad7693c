import os

from well_behaved import serve

serve(lambda _request: os.abort())
