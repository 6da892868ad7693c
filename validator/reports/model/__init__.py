"""The answer about a user's model as text, Markdown, JSON and a page.

`facts` makes the JSON document, which has everything; the others show it.

May come in: how the answer about one model looks.
May not: finding it (`validator.models`).
"""
