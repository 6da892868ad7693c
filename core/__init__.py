"""What a value is and what a corpus is: what generators and validator both import.

In here: errors and exit codes, what both commands share on the command line, reading YAML,
writing files whole, and the rooms of docs/architecture.md, such as `values` (element types,
tensors, comparing them) and `corpus` (vectors as files, their manifest, patterns of ids). Beside
the rooms are 13 modules: each is about one thing, and small.
May come in: what both of the other packages need, and that knows neither a spec nor a backend.
May not: anything that imports `generators` or `validator`.
"""
