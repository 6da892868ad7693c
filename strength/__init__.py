"""How strong the vectors of an operator are, measured by mutants that a machine makes.

A mutant is the operator's oracle with one thing wrong: in its code (a comparison, a constant, a
dropped statement ...: `mutations`), or in what it makes of its signature (an attribute ignored, a
value narrowed on the way, broadcasting dropped ...: `carelessness`). It stands in the interpreter
of models where the oracle stood, and the validator's own judge says what each vector makes of it.

A mutant that every vector passes is tried on calls beyond the corpus (`sampling`): where one of
these tells it from the oracle, a case is missing; where none does, the two count as alike.

    python -m strength run --operator Add --vectors DIR

    python -m strength around --vectors DIR

puts runtimes before them that are right about operators and wrong about what is around them
(`surroundings`): versions, defaults, folding, caches, functions, subgraphs, validity.

`make mutants OPERATOR=Add` generates the vectors of an operator from its spec and runs this.
"""
