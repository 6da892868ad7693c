"""Judging an observation: one verdict for each vector.

May come in: functions that take an expectation and an observation and return a judgement.
May not: files, processes and clocks.
"""
