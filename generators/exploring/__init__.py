"""Calls that no spec wrote down, each drawn from its id alone.

| module      | what                                                                           |
|-------------|--------------------------------------------------------------------------------|
| drawing     | what a drawer and a drawing are, and the drawers by their letters               |
| calls       | one node with its inputs as a drawing: its model, and what it must return       |
| corpus      | the vectors of the corpus that edits begin with                                 |
| editing     | the drawer of edits: a vector with one to six changes                           |
| edits       | the changes                                                                     |
| elements    | elements of tensors, drawn at random, and tensors of other types and shapes     |
| simplifying | the calls that are simpler than one                                             |
| anew        | vectors of the corpus with their derived inputs drawn anew                     |
| promoting   | a drawn call as a case in the language of specs                                 |
| installed   | all this behind the protocol of `core.exploring`                                |

May come in: how calls are drawn, changed and made simpler.
May not: what a backend does with them, and what is reported (the validator's exploring).
"""
