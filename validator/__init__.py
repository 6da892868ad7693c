"""Runs a backend against vectors and says, case by case, what it did.

The road of one vector:

1. `corpus` finds the vectors and holds them against the manifest; `selecting` takes those that
   were asked for.
2. `engine` hands them to `child` processes, each a harness that speaks `protocol` 1 with a runtime
   behind it; whatever becomes of a child, each vector ends as one observation.
3. `judging` holds the observation against the vector's expectation (`comparing` for values) and
   gives exactly one verdict.
4. `results` writes each verdict as it comes; `reports` and `baseline` read that file.

Comparing, judging and selecting are pure; files, processes and clocks stay in `corpus`, `child`,
`engine` and `results`. This package knows nothing of specs: it reads vectors.
"""
