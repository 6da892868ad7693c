"""The subcommands of `onnx-vectors`, one module each, with `configure` and `execute`.

May come in: arguments, printing, exit codes.
May not: the work of a command, which is done by the other folders.
The folder has 15 modules: one for each subcommand, and the arguments that several share.
"""
