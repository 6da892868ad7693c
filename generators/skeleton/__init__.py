"""The skeleton of a spec: everything known about an operator before anybody reads its document.

`documents` has ONNX's text, `examples` ONNX's node tests, `guesses` the families that may be
useful, and `writing` combines them into a YAML file for an author to complete.

May come in: guesses from a schema, as text for an author.
May not: anything that a generation depends on.
"""
