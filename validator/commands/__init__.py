"""The subcommands of `onnx-validate`, one module each, with `configure` and `execute`.

May come in: arguments, printing, exit codes.
May not: the work of a command, which is done by the other folders.
"""
