"""Dies while a process that it started keeps its pipes open."""

import os
import subprocess
import sys

from well_behaved import serve


def spoil(_request):
    other = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(1000)"])
    sys.stderr.write(f"grandchild {other.pid}\n")
    os._exit(7)


serve(spoil)
