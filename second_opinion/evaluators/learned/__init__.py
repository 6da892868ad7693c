"""Predictors and encoders of ai.onnx.ml, losses, and optimizers.

May come in: evaluators of that family.
May not: those of another, or what several families need (`shared`).
"""
