"""`python -m tools.scoreboard`."""

from __future__ import annotations

import sys

from .running import main

sys.exit(main())
