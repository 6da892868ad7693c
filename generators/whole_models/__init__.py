"""Whole models that are tested for a document other than an operator's page: mainly IR.md.

An operator's case is one node, and forms build models around it. Here the model itself is the case:
a spec in specs/models/ gives it in ONNX's text syntax, adds by edits what that syntax cannot
express, and states inputs and outputs. The interpreter of `generators.interpreter` must compute the
same outputs, or refuse an invalid model, so that no expectation has only one source.

| module      | what                                                        |
|-------------|-------------------------------------------------------------|
| model       | a spec of whole models as data                              |
| reading     | YAML to that data                                           |
| edits       | what the text syntax cannot say: fields, and stored tensors |
| shape_nodes | an input that nodes compute, as exporters do                |
| variants    | from a case to its models: one, or one for each type or way |
| proving     | what the interpreter makes of a model                       |

May come in: cases about the model itself, and how they are read and proven.
May not: what is true of one operator, or of the form of a model around it.
"""
