"""Closes its output at 'describe' and ends with exit code 3 a little later."""

import os
import sys
import time

sys.stdin.readline()
os.close(1)
time.sleep(0.2)
os._exit(3)
