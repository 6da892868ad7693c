"""What validator and generators say to each other of calls that no spec wrote down.

| module   | what                                                                |
|----------|---------------------------------------------------------------------|
| ids      | the ids of drawn calls, which hold all that a call is made from     |
| explorer | what may be asked of whoever draws them: an installed package       |

May come in: what both sides must know of a drawn call.
May not: how calls are drawn, and what is made of what a backend does with them.
"""
