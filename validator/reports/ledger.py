"""The readings of witnesses as JSON, one case a line: the ledger with which others are compared."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.documents import json_line

from ..results.records import Results
from .facts.readings_taken import ledger_document, ledger_of


def render(results: Sequence[Results]) -> str:
    """The ledger, ending with a newline."""
    document = ledger_document(ledger_of(results))
    cases = document.pop("cases")
    lines = [f" {json_line(key)}: {json_line(value)}" for key, value in document.items()]
    inner = ",\n".join(f"  {json_line(case)}: {json_line(item)}" for case, item in cases.items())
    lines.append(f' "cases": {{\n{inner}\n }}' if cases else ' "cases": {}')
    return "{\n" + ",\n".join(lines) + "\n}\n"
