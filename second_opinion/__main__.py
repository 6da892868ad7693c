"""`python -m second_opinion [PATTERN …]`: compare the corpus with the second opinion."""

from __future__ import annotations

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
