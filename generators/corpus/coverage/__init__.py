"""What the corpus exercises: requirements, versions, types and forms, and what is missing.

May come in: counts of planned vectors and cases, and the page that shows them.
May not: building vectors.
"""
