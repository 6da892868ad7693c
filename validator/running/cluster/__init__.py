"""A run on many machines: batches of vectors go out, rows come back to the process that records.

May come in: what a worker does with a batch, which workers are admitted, and what is checked of
their rows.
May not: deciding which machine works on what (Dask does), recording, reports.
"""
