"""From specs to vectors.

The road of one vector: `specs` are read, `situations` says which situations they declare, `oracle`
computes what each requires, `forms` builds the models, `corpus` puts the files together and writes
them. `families` make most cases, from `signatures` and a few parameters. `importing` does the last
step for ONNX's own node tests.
This package knows no backend: it imports nothing of `validator`.
"""
