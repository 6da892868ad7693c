"""Running a model: nodes in order, subgraphs, functions, and which evaluator an operator has.

May come in: what IR.md says of models.
May not: arithmetic, and what single operators do (`evaluators`).
"""
