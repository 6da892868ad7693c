"""The corpus for people who have no checkout: the release's archives, and the installed wheel.

May come in: archives, and making what is asked for from an installed package.
May not: other content of vectors than a checkout writes.
"""
