"""Where drawn calls come from: processes that make them, and vectors that hold them.

| module        | what                                                                          |
|---------------|-------------------------------------------------------------------------------|
| makers        | processes that draw calls and ask the oracle                                  |
| drawn_vectors | drawn calls as vectors, for the engine, `run`, `show` and `repro`             |
| fresh         | the vectors of the corpus with their derived inputs drawn anew: `run --fresh` |

May come in: how drawn calls become vectors that can be run.
May not: which are drawn, and what is made of what a backend does.
"""
