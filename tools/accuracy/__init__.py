"""How near runtimes come to the exact result: docs/accuracy.md, and what holds the limits to it.

May come in: what is measured against the oracle's limits, of runtimes and of code that is wrong.
May not: a limit; these are derived in `generators/oracle/accuracy`.
"""
