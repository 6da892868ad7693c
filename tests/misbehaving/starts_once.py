"""Cannot be started a second time: a licence server or a device that stays taken, say."""

import os
import sys
from pathlib import Path

from well_behaved import serve

taken = Path(os.environ["STARTS_ONCE"])
if taken.exists():
    sys.exit("the device is busy")
taken.touch()
serve(lambda _request: os._exit(1))
