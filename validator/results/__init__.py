"""Results files: their rows, merging several of them, what changed between two.

The folder has 13 modules: each is about rows, and none stands apart.

May come in: whatever reads or writes a results file.
May not: finding a verdict, and the look of a report.
"""
