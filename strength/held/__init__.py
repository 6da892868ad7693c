"""Runtimes that are wrong around the operators, written before any case was read.

They follow from the documents and from what runtimes do. What a corpus convicts of them is a fairer
figure than of `surroundings` and `optimizers`, whose faults were written beside the cases.

| module       | areas                                                       |
|--------------|-------------------------------------------------------------|
| mechanism    | the interpreter of models with one step replaced            |
| types        | dimensions by element type, elements                        |
| opsets       | opsets and checks                                           |
| computations | shape computations, runs and caches, constants              |
| optimizing   | fusions, views and memory                                   |
| calls        | functions and subgraphs, inputs, outputs and names          |
| measuring    | which vectors convict them                                  |
"""
