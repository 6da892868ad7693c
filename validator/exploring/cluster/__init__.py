"""Drawn calls that are judged by the workers of a cluster.

May come in: how calls go out in batches, and how their rows come back.
May not: which are drawn, and what is made of a row: the loop does not know who judges.
"""
