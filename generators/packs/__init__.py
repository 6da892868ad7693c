"""All that is known of one operator, for an appendix to a specification: one document, two forms.

May come in: gathering requirements, vectors, limits, strength and witnesses; their words.
May not: making vectors, and measuring strength.
"""
