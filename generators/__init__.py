"""From specs to vectors.

The road of one vector: `specs` are read, `families` add most of their cases, `planning` decides
which vectors there are, `situations` gives each real values, `oracle` computes the required result,
`forms` builds the models, `corpus` makes the files and writes them. `importing` does the last step
for ONNX's own node tests.

May come in: what makes vectors from specs.
May not: any backend; nothing of `validator` is imported.
"""
