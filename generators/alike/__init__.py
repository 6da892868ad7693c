"""The oracle asked once for what is alike in a large call.

A tensor of 131,103 elements in which 251 numbers follow each other again and again asks an oracle
the same 251 questions. For an operator that takes elements one by one, rows one by one, or rows
with columns, `rules` says along which axes of its inputs positions do not know of each other.
`reducing` keeps one position of those that are equal in all inputs, so that a smaller call of the
same operator is left for the same oracle, and puts each answer at all positions that it is for.
There is no second way to compute anything, and what a smaller call says of an element is what the
large one does: tests/generators/alike holds both against each other, operator by operator.

May come in: which axes of an operator are independent, and the smaller call that follows.
May not: what an operator computes.
"""
