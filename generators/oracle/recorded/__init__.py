"""What is recorded because no oracle computes it: what encoded images hold.

May come in: reading of files below specs/ that hold results, each with who confirms it.
May not: anything that an operator's document says.
"""
