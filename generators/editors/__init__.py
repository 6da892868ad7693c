"""A JSON Schema of specs, by which editors complete and check them.

Modules here read the tables of the spec reader, the forms and the families; only the commands read
the modules here.

May come in: what an editor needs to know of the format.
May not: checks that the spec reader does not make.
"""
