"""A user's model: reading its file safely, and listing what it uses.

| module     | what                                                                          |
|------------|-------------------------------------------------------------------------------|
| opening    | the file: parsed, its external data looked for but not read                   |
| inferring  | functions inlined and types inferred, in a process of its own                 |
| schemas    | which operator version a node means, its type variables and defaults          |
| values     | what is known of each value: type, shape, whether it is constant              |
| walking    | every node, also in subgraphs and functions, with what is known of its values |
| uses       | the nodes that use an operator in the same way, put together                  |
| listing    | all of it at once: a file in, its uses and what must be said of it out        |
| cutting    | what may be asked of whoever cuts vectors from models, and how it is found    |

May come in: what a model file says, for whoever judges it or cuts vectors from it.
May not: what an operator does (`generators.oracle`), and what a runtime made of it (`validator`).
"""
