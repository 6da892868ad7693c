"""The arithmetic of the oracle: exact numbers, element types, grids, how near is near enough.

| module                       | what                                                            |
|------------------------------|-----------------------------------------------------------------|
| numbers, roots               | an element as an exact number, and IEEE 754's arithmetic on it  |
| rounding, integers           | codes to numbers, numbers to codes, integers that wrap          |
| grid                         | a tensor as shape and numbers; broadcasting, axes, places       |
| windows                      | windows that slide over axes: positions, and what lies under    |
| elementary, intervals        | functions of a real number, enclosed as tightly as is asked     |
| bounds, steps, sums          | what may be accepted beside the exact result of a computation   |
| profiles, ends, limits       | the profiles of accuracy, and the limits of elements            |

It knows no operator, and uses neither NumPy nor onnx.
"""
