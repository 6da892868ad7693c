"""One module for each Python runtime; its name is what starts it.

May come in: how one runtime is loaded and called, and what it says where it refuses.
May not: requests and replies, which `serving` reads and writes.
The folder has as many modules as there are runtimes.
"""
