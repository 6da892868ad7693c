"""One vector shown by itself, for the issue tracker of the runtime that fails it.

Lives here: what is known of a vector (`subject`); a script of a few lines for the runtimes that
people meet most (`plain`, with values as source by `literals`); for any other a folder that holds
the harness itself with one request (`bundle`); and both as the Markdown of an issue (`issue`).
May not come in: anything that a script would need of this project at run time.
"""
