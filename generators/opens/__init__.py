"""What documents leave open, with what runtimes make of it: texts that can be filed as issues.

May come in: joining what specs say with the ledger of readings, and the words for it.
May not: running anything, and judging which reading is right.
"""
