"""The JSON Schemas of what a run writes: REPORT of report.json, LINE of a line of the results."""

from __future__ import annotations

import json

from places import ROOT

_FOLDER = ROOT / "validator"
REPORT = json.loads((_FOLDER / "report.schema.json").read_text(encoding="utf-8"))
LINE = json.loads((_FOLDER / "results.schema.json").read_text(encoding="utf-8"))
