"""Writes to the file SPIED what it can see of the corpus when its first vector comes."""

import json
import os
import sys
from pathlib import Path

from well_behaved import serve


def spy(request):
    seen = [str(Path.cwd()), *sys.argv, *os.environ.values()]
    seen += Path(f"/proc/{os.getppid()}/cmdline").read_text().split("\0")
    path = request["model"].get("path", "")
    folder = Path(path).parent
    found = [item.name for item in folder.rglob("*")] if path else []
    spied = {"seen": seen, "path": path, "files": found}
    Path(os.environ["SPIED"]).write_text(json.dumps(spied))
    return False


serve(spy, every=True, model=os.environ["ASKS"])
