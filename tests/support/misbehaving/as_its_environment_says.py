import os
import time

from well_behaved import DESCRIPTION, serve

PAUSE = float(os.environ.get("HARNESS_PAUSE", "0"))
VERSION = os.environ.get("HARNESS_VERSION", DESCRIPTION["version"])
if VERSION == "none":
    raise ImportError("No module named 'runtime'")

serve(lambda _request: time.sleep(PAUSE), every=True, version=VERSION)
