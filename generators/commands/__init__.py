"""The subcommands of `onnx-vectors`, one module each."""
