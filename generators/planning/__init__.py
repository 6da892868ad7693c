"""Which vectors a corpus holds: each case at its versions, opsets, element types and forms.

May come in: rules of what is made, and ids.
May not: what a situation or a model is made of.
"""
