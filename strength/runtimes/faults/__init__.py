"""The wrong runtimes. The folder has 17 modules: one for each part of a runtime that goes wrong.

May come in: wrong steps, by the part of a runtime. May not: what is wrong in one operator, but for
what Reshape and Shape make of dimensions, which no mutant shows.
"""
