"""What a document permits for a call that no spec wrote down.

`permitted` has the one function for it, `deadlines` an end for oracles that take too long.

May come in: what holds for any call, whoever makes it.
May not: how calls are made.
"""
