"""What editors know of specs: a JSON Schema by which they complete and check them.

What lives here reads the tables of the spec reader, the forms and the families; nothing but the
commands reads it.
"""
