"""The subcommands of `onnx-validate`, one module each."""
