"""Reports made from results files.

May come in: whatever turns rows into something that a person or a program reads.
May not: deciding verdicts; a report shows those of the results file.
The folder has 13 modules: one for each form of a report, and what several share.
"""
