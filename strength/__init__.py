"""How strong the vectors are: how many of the bugs that are made on purpose they notice.

| room | |
|---|---|
| `commands/` | what a person types: `python -m strength run --operator Add --vectors DIR` |
| `renewing/` | measuring what changed, by the history of each mutant; checking the record |
| `reports/` | what was found, in words |
| `records/` | what is committed of it: record, history, allowances, and docs/strength.md |
| `trying/` | what becomes of mutants: tried on vectors and on calls beyond them |
| `mutants/` | mutants of an oracle: in its code, and in what it makes of its signature |
| `sizes/` | runtimes that are right about small tensors and wrong about large ones |
| `runtimes/` | runtimes that are right about operators and wrong around them |
| modules | `interfaces`: what trying mutants needs; names, vectors, deadlines, processes |

May come in: what makes bugs and says who notices them. May not: what judges real runtimes.

Not in the wheel: it changes the oracles of a checkout, and holds the record of this corpus.
"""
