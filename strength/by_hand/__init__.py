"""Runtimes of Shape, Size and Reshape that people wrote wrong, each with one realistic bug.

`backend.Backend` evaluates models with these operators and is correct. `strategies` has correct
backends that work as real runtimes do: they fold, infer, fuse, cache, share buffers. The modules
in `faults` hold those that are wrong, by the part of a runtime in which the bug lives.

They are what was left of 522 when machines took over: the 172 that the fewest vectors which kill
every mutant of the oracles, and catch every runtime that is wrong around the operators, do not
catch. `running` puts them before a corpus. The evaluator is written from the operator documents
and shares nothing with the oracles.
"""
