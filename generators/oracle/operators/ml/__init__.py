"""Operators of the domain ai.onnx.ml: features, encoders, maps, trees; see `predictors` too."""
