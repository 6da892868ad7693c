"""From situations to the files of the corpus.

These 13 modules are one road, from a spec to files, and are read in this order:

| module               | what                                                             |
|----------------------|------------------------------------------------------------------|
| stems, planned       | which operators and vectors there are, before any is built       |
| building             | one vector of a plan: its model and its files                    |
| model_vectors        | the same for whole models                                        |
| made, lock           | what was made of one spec, and whether the lock lists it so      |
| making, collecting   | the whole corpus, and what is written of it as a whole           |
| parallel, processes  | operators in several processes                                   |
| clustered            | the same on a cluster                                            |
| writing, published   | folders of vectors, and the corpus that is published             |

May come in: building vectors, writing and packing them, comparing them with digests, and what
covers what.
May not: anything about one operator or one form.
"""
