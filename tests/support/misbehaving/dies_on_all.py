import json
import os
import sys

from well_behaved import describe

for line in sys.stdin:
    if json.loads(line)["command"] == "describe":
        describe()
    else:
        os._exit(9)
