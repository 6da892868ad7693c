"""What of earlier runs is still true, so that it is not run again.

May come in: what a verdict depends on, and which rows are taken over for it.
May not: reading or writing a results file (`results`), judging (`judging`).
"""
