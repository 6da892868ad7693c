"""Runs a backend against vectors and says, case by case, what it did.

The road of one vector:

1. `core.corpus` finds the vectors and holds them against the manifest; `running.selecting` takes
   those that were asked for.
2. `host.engine` hands them to `host.child` processes, each a harness that speaks `host.protocol`
   1 with a runtime behind it; whatever becomes of a child, each vector ends as one observation.
3. `judging` holds the observation against the vector's expectation (`core.values.comparing` for
   values) and gives exactly one verdict.
4. `results` writes each verdict as it comes; `reports` and `gate` read that file.

Comparing, judging and selecting are pure; files, processes and clocks stay in `core.corpus`,
`host.child`, `host.engine` and `results`. This package knows nothing of specs: it reads vectors.
"""
