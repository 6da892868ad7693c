"""A second oracle, written from the documents alone by somebody who did not read the first.

Evaluators in long double, exact integers, mpmath and SciPy give their opinion of the corpus's
expected outputs. `values` holds numbers and tensors, `graphs` runs models, `evaluators` has the
operators; the command is `python -m second_opinion` (docs/second-opinion.md).
May come in: what is computed from the text of an operator's document.
May not: anything of `onnx_conformance.generators`; that is the point.
"""
