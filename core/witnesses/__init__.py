"""Who agrees with a vector: the ledger of witnesses, and what is said where there is none.

`onnx-validate witnesses` makes the ledger from results files, `onnx-vectors check` holds it to the
corpus, and both packages show it. The ledger lies here, so that an installation without a checkout
has it too.

May come in: what the ledger and its arguments say, and whether they fit a corpus.
May not: running a backend, judging, and the look of a page.
"""
