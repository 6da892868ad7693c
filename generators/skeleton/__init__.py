"""The skeleton of a spec: what can be known of an operator before anybody has read its document.

`documents` has ONNX's text, `examples` ONNX's node tests, `guesses` the families that may serve,
and `writing` puts them together as a YAML file for an author to work off.
"""
