"""Exact results for some elements of a node whose shapes are too much for the oracle.

| module      | what                                                                            |
|-------------|----------------------------------------------------------------------------------|
| pieces      | a node on a part of its inputs, and where its results lie in the whole output    |
| choosing    | which positions: corners and others, the same for the same seed                  |
| shaping     | what windows and attributes come to                                              |
| independent | operators of which `alike` knows what is independent: elements, rows, products … |
| moving      | operators that move elements: transposing, joining, gathering, filling           |
| windows     | convolutions, pools and LRN                                                      |
| rules       | the rule of each operator                                                        |
| asking      | the oracle asked for each piece, and the answers put into one                    |

A piece is a call of the same operator, of the same version: the oracle is asked nothing else than
it is for any vector, with limits for as many terms as the whole node has.

May come in: which part of its inputs an element of an output depends on.
May not: what the element is (`generators.oracle`).
"""
