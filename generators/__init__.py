"""From specs to vectors.

The road of one vector: `specs` are read, `families` add most of their cases, `planning` says which
vectors there are, `situations` gives each real values, `oracle` computes what it requires, `forms`
builds the models, `corpus` puts the files together and writes them. `importing` does the last step
for ONNX's own node tests.
This package knows no backend: it imports nothing of `validator`.
"""
