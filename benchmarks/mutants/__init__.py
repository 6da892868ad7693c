"""How strong the vectors are: faulty backends, and which vectors convict each of them.

`backend.Backend` evaluates the models of the corpus and is correct. `strategies` has correct
backends that work as real runtimes do: they fold, infer, fuse, cache, share buffers. A mutant is
one of these with exactly one realistic bug; the modules in `faults` hold them, by the part of a
runtime in which the bug lives.

Every mutant is assessed on every vector: its observation is judged by the validator's own
`judge`, in this process, unless it is the one of the correct backend, which is known to pass.
Then each mutant is started as a harness of its own, and the validator's engine has to convict it
on the first vector that did so here; a sample of them runs the whole corpus that way, and every
verdict must be the one found here.

The evaluator is written from the operator documents and shares nothing with the generators'
oracle.
"""
