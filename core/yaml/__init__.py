"""YAML as people write it in specs and baselines: each word with its line, and errors that name it.

May come in: the text of a document as nodes (`reading`, `scalars`), and what a reader asks of a
node (`nodes`).
May not: the keys of any one format.
"""
