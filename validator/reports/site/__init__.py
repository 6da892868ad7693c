"""A folder of pages: what is wrong today, a page for each runtime, a page for each operator.

| module  | what                                                                              |
|---------|-----------------------------------------------------------------------------------|
| index   | what the first page shows: causes, runtimes, operators, what changed               |
| runtime | what the page of a runtime shows: its causes, operators, accuracy                  |
| drawing | bars and plots as SVG                                                              |
| writing | all files of the folder, in place of an earlier one                                |

The page of an operator is the one that `report --html` makes for that operator alone. All pages can
be read without scripts; the scripts filter, and link to single vectors.

May come in: results as pages.
May not: judging, and reading results files (`commands`).
"""
