"""What may be accepted beside the exact result of a computation.

| module              | what                                                                     |
|---------------------|--------------------------------------------------------------------------|
| profiles            | the profiles of accuracy, and how far off one step may be in each        |
| ends                | the limits of one element, and how they are joined                       |
| bounds, roots       | one function a rule: an exact result with the limits it must keep        |
| steps               | a document's formula, evaluated in intervals                             |
| sums, factors       | sums, dot products and products of many elements, in any order           |
| limits              | what may be accepted for a grid, as tensors; and whether a tensor is     |

May come in: rules by which limits follow from an exact computation.
May not: an operator, NumPy, onnx; `arith` does not use this folder.
"""
