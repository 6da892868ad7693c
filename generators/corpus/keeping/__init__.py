"""What was made before and is not made again, as long as nothing changed that it depends on.

May come in: what vectors depend on, what was made of a spec, what a writer wrote last.
May not: how vectors are made.
"""
