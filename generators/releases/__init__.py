"""What the corpus held when: releases, revisions and folders of manifests, and what changed.

May come in: comparing what stood, the rule of version numbers, the changelog of vectors.
May not: making vectors, and deciding about them (`specs/rulings.yaml` is written by people).
"""
