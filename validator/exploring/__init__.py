"""Exploration: calls that no spec wrote down, put to a backend, and what they show.

| module      | what                                                                     |
|-------------|--------------------------------------------------------------------------|
| supplying/  | processes that draw calls and ask the oracle, and vectors of drawn calls |
| letters     | which drawers draw what of which operators                               |
| schedule    | which call is drawn next: the time is shared equally between operators   |
| running     | drawn calls through the engine: one judged row for each                  |
| cluster/    | drawn calls that the workers of a cluster judge: the same rows           |
| learning    | what the backend passes and what it lacks                                |
| exploration | the loop: draw, run, judge, remember                                     |
| signatures  | what two failures have in common: operator, verdict, message             |
| shrinking   | the simplest call that shows the same                                    |
| causes      | failures by their causes, and which of them the corpus shows already     |
| findings    | the results file, and a folder of its own for each cause                 |
| wording     | all this for a terminal                                                  |

May come in: what is done with drawn calls.
May not: how they are drawn (generators), how they are judged (`judging`), how they run (`host`).
"""
