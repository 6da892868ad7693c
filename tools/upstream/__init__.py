"""ONNX's own node tests and its runner, beside ours: docs/upstream.md."""
