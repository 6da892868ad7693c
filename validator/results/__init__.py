"""Results files: their rows, merging several of them, what changed between two.

May come in: whatever reads or writes a results file.
May not: finding a verdict, and the look of a report.
The folder has 13 modules: each takes rows, and they share the records that rows are.
"""
