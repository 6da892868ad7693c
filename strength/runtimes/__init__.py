"""Runtimes that are right about every operator and wrong around them.

Each is the interpreter of models with one step replaced (`steps`, `registry`); the oracles answer
all calls. What notices them are cases of versions, folding, caches, functions, subgraphs, memory,
names and validity, whatever the operator. `correct` has runtimes that work in the same ways and are
right, which nothing may judge wrong. `measuring` puts all of them before a corpus.

May come in: wrong steps, and what they need. May not: what is wrong in one operator, of which
mutants are made by machine.
"""
