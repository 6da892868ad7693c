"""Reads a large request so slowly that it never ends, and never answers."""

import json
import os
import time

from well_behaved import describe

held = b""
while b"\n" not in held:
    held += os.read(0, 1 << 12)
json.loads(held.partition(b"\n")[0])
describe()
while os.read(0, 4096):
    time.sleep(0.05)
