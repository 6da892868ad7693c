"""Which vectors a corpus holds: each case at its versions, opsets, element types and forms.

May come in: rules for which vectors exist, and ids.
May not: the content of situations and models.
"""
