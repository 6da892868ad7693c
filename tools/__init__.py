"""Reports, gates and pages of this repository: made from results and specs, run by `make`.

Each is run in the repository as `python -m tools.NAME`; none is in the wheel. What people with
results of their own can use is a command of `onnx-validate` or `onnx-vectors` instead; what
measures how long something takes is a script in `benchmarks/`.

May come in: what this repository makes of results and specs, and what its gates hold.
May not: anything that a package imports; those know nothing of tools.
"""
