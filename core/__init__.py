"""What a value is and what a corpus is: what generators and validator both import.

In here: errors and exit codes, what both commands share on the command line, reading YAML,
writing files whole, and two rooms: `values` (element types, tensors, comparing them) and `corpus`
(vectors as files, their manifest, patterns of ids).
May come in: what both of the other packages need, and that knows neither a spec nor a backend.
May not: anything that imports `generators` or `validator`.
"""
