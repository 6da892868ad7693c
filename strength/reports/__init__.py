"""What was found, in words for a person.

May come in: lines and tables of what was measured. May not: measuring.
"""
