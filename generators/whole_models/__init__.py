"""Whole models that a document asks for which is no operator's page: IR.md above all.

An operator's case is one node, around which forms put a model. Here the model itself is the case: a
spec in specs/models/ writes it in ONNX's text syntax, says what that syntax cannot say by edits,
and states inputs and outputs. The interpreter of `generators.interpreter` must come to the same
outputs, or refuse what is written as invalid, so that no expectation rests on one source.

| module   | what                                                        |
|----------|-------------------------------------------------------------|
| model    | a spec of whole models as data                              |
| reading  | YAML to that data                                           |
| edits    | what the text syntax cannot say: fields, and stored tensors |
| computed | an input that nodes compute, as exporters do                |
| variants | from a case to its models: one, or one for each type or way |
| proving  | what the interpreter makes of a model                       |
"""
