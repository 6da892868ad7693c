"""Predictors of ai.onnx.ml beside trees: classes by weights, and support vectors."""
