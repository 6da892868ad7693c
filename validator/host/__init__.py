"""Backends in processes of their own, and the protocol that they speak.

In here: the child process, the worker that talks to it, the engine that runs many of them,
protocol 1, which backends there are, and the check of a harness.
May come in: whatever is needed to get one observation for each vector.
May not: judging an observation (`judging`), writing the results of a run (`results`).
It has more than a dozen modules, because a process that lies, hangs and dies is one subject in many
small parts.
"""
