"""One module for each Python runtime; the name of the module selects it.

May come in: how one runtime is loaded and called, and its messages for a refusal.
May not: requests and replies, which `serving` reads and writes.
The folder has as many modules as there are runtimes.
"""
