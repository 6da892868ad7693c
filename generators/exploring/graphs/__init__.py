"""Small graphs of several nodes, in which every intermediate value is exact.

May come in: how graphs are grown, answered node by node, and reduced. May not: single calls, which
`drawers` and `editing` draw, and what an optimizer of some runtime is called.
"""
