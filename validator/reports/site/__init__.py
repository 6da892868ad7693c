"""A folder of pages: what is wrong today, a page for each runtime, a page for each operator.

| module        | what                                                                        |
|---------------|-----------------------------------------------------------------------------|
| index         | what the first page shows: runtimes, operators, causes, what changed         |
| operator_map  | the map of the first page: a cell for each operator and runtime              |
| runtime       | what the page of a runtime shows: its causes, operators, accuracy, history   |
| history       | a runtime's counts over its runs                                             |
| operator      | what a site adds to the page of an operator                                  |
| shared_causes | causes that several runtimes have in common                                  |
| pages         | shared by the pages: names of files, lines of causes, runtimes in a line     |
| drawing       | bars and plots as SVG                                                        |
| writing       | all files of the folder, in place of an earlier one                          |
| sharing_out   | the parts of a large site in several processes                               |

The page of an operator is the one that `report --html` makes for that operator alone. All pages can
be read without scripts; the scripts filter, and link to single vectors.

May come in: results as pages.
May not: judging, and reading results files (`commands`).
"""
