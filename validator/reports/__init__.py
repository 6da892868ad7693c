"""Reports made from results files.

May come in: whatever turns rows into something that a person or a program reads.
May not: verdicts of its own; a report shows what the results file says.
"""
