"""What becomes of mutants: killed by a vector, told apart by a further call, or equivalent.

May come in: trying mutants on vectors and on further calls, and measuring an operator. May not:
what is recorded of it. It has thirteen modules: each is one step from a call to a verdict, and
calls that exploration draws take the same steps as those of the corpus.
"""
