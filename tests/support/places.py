"""Where things are in the checkout: tests lie at different depths, and count no parents."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
ROOT = SUPPORT.parents[1]
SPECS = ROOT / "specs"
VECTORS = ROOT / "vectors"
MISBEHAVING = SUPPORT / "misbehaving"
