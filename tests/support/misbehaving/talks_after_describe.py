"""Logs a line of JSON right behind the reply to `describe`, as a logging library does."""

import json

from well_behaved import DESCRIPTION, serve, write

LINES = (DESCRIPTION, {"level": "info", "message": "ready"})
serve(answer=lambda: write("".join(json.dumps(line) + "\n" for line in LINES)))
