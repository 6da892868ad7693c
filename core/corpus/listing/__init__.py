"""What a manifest lists, how it is written, and the releases in which it stood.

May come in: facts about vectors and releases that a manifest can hold.
May not: why a vector was corrected (`specs/rulings.yaml`), and what a run makes of a release.
"""
