"""Every runtime that installs here, side by side: `build/scoreboard` and docs/scoreboard.md.

May come in: which runtimes are run on which corpus, and the page that is made of the results.
May not: judging, and text of a report that others could want: `validator/reports` has it.
"""
