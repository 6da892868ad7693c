"""The oracles: one folder a family of operators, one module for those that share their semantics.

| folder        | operators                                                                      |
|---------------|--------------------------------------------------------------------------------|
| elementwise   | each element by itself, or with those at its place                              |
| reshaping     | the same elements in the same order, in another shape                          |
| movement      | the same elements elsewhere: parts, joins, other orders                         |
| indexing      | places named by indices                                                         |
| making        | tensors from nothing but attributes and shapes                                  |
| rows          | elements along axes become one, or are compared with each other                  |
| contraction   | sums of products                                                                |
| windows       | windows that slide over spatial axes                                           |
| quantization  | numbers by a scale and a zero point                                             |
| containers    | sequences and optionals                                                         |
| control       | subgraphs                                                                       |

A module is listed in `oracle/index.py` and imported when it is first needed.
"""
