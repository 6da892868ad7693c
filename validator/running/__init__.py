"""One run: which vectors, in which order, judged and recorded as soon as they finish.

May come in: the way from the arguments of `onnx-validate run` to a finished results file.
May not: what belongs to one process (`host`), one verdict (`judging`) or a report (`reports`).

Its modules are the steps of that way, each used by the next, so that no part of them is a room of
its own.
"""
