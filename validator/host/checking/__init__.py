"""`harness check`: the validator's part of protocol 1, played step by step against one harness.

In here: the steps, the questions that they ask, and their messages to the author of a harness.
May come in: what a harness can do wrong, and how its author is told.
May not: the conversation itself (`host.conversation`), which a run uses too.
"""
