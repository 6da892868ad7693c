"""Parts of data.json that follow from a vector's values: how accurate, and by which laws.

May come in: what describes outputs to a judge.
May not: how vectors are built and written (`building`, `writing`).
"""
