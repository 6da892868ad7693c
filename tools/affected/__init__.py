"""Which tests a change concerns: `make affected`.

`changes` says which files changed, `sources` what a file of tests names and imports, `reaching`
which modules that leads to, and `choosing` which tests each file concerns, and by which rule.
Nothing here is run by the gates: they run every test.

May come in: how a changed file leads to tests.
May not: which tests exist, and how they are run: pytest knows that.
"""
