"""A failure shown with the runtime alone, as one script and its models.

May come in: how each runtime is called by hand.
May not: anything that the script would need of this package.
"""
