"""Steps by which a graph grows: each reads one value, and adds one to four nodes.

May come in: motifs, in a module for what they are about. May not: what becomes of a motif that does
not fit, which `grown` decides, nor the graph that they add to, which is `growing`'s.
"""
