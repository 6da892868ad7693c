"""Runs a backend on vectors and says, vector by vector, what it did.

The road of one vector:

1. `core.corpus` finds the vectors and compares them with the manifest; `running.selecting` picks
   those that the user selected.
2. `host.engine` sends them to `host.child` processes, each a harness that speaks `host.protocol`
   1 with a runtime behind it; whatever happens to a child, each vector ends as one observation.
3. `judging` compares the observation with the vector's expectation (`core.values.comparing` for
   values) and gives exactly one verdict.
4. `results` writes each verdict as soon as it is known; `reports` and `gate` read that file.

Comparing, judging and selecting are pure; files, processes and clocks stay in `core.corpus`,
`host.child`, `host.engine` and `results`. This package knows nothing of specs: it reads vectors.

May come in: what runs a backend, judges it, and shows or gates the result.
May not: specs, and anything of `generators`.
"""
