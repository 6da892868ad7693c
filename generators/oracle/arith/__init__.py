"""The arithmetic of the oracle: exact numbers, element types, grids.

| module                       | what                                                            |
|------------------------------|-----------------------------------------------------------------|
| numbers                      | an element as an exact number, and IEEE 754's arithmetic on it  |
| rounding, integers           | codes to numbers, numbers to codes, integers that wrap          |
| grid                         | a tensor as shape and numbers; broadcasting, axes, places       |
| once                         | functions evaluated once for what is the same object            |
| windows                      | windows that slide over axes: positions, and what lies under    |
| elementary, intervals        | functions of a real number, enclosed as tightly as is asked     |
| rules                        | by which rule the limits of an element were made              |

May come in: arithmetic that any operator may need.
May not: an operator, limits of accuracy, NumPy, onnx.
"""
