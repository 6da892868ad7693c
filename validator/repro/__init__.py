"""Shows one vector alone, for the issue tracker of the runtime that fails it.

In here: all facts about a vector (`subject`); a script of a few lines for the runtimes that
people use most (`plain`, with values as source from `literals`); for any other runtime a folder
with the harness itself and one request (`bundle`); and both as the Markdown of an issue (`issue`).
May come in: whatever shows a failure to people who have the runtime alone.
May not: anything that makes a script need this project at run time.
"""
