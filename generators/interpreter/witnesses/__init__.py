"""Second sources: the standard's function bodies and its shape inference, beside the oracles.

| module       | what                                                                     |
|--------------|--------------------------------------------------------------------------|
| by_bodies    | the backend `bodies`: function bodies in place of oracles                |
| inference    | the backend `inference`: shapes and types that ONNX infers               |

May come in: what ONNX itself says of a model, by other means than the oracles.
May not: what decides a result; a witness that disagrees is read, not believed.
"""
