"""Operators of the domain ai.onnx.ml: features, encoders, maps, predictors."""
