"""The subcommands of `onnx-validate`, one module each, with `configure` and `execute`.

May come in: arguments, what is printed, exit codes.
May not: what a command does, which the folders below know.
"""
