"""Its first child ends with a bad vector; the later ones describe themselves as $CHANGE says.

The command starts it once before, to ask what it claims; $ALIKE says how many are alike.
"""

import json
import os
from pathlib import Path

from well_behaved import serve

started = Path(os.environ["STARTED"])
with started.open("a") as stream:
    stream.write(".")
later = started.stat().st_size > int(os.environ.get("ALIKE", "2"))


def spoil(_request):
    if not later:
        os._exit(3)


serve(spoil, **(json.loads(os.environ["CHANGE"]) if later else {}))
