"""What a runtime says that it supports: its profile, and which vectors that claims.

`needs` says what a vector asks of a runtime, `profile` whether a profile claims it, `reading` and
`writing` are the documents, `claiming` splits a corpus, `suggesting` drafts a profile from
verdicts, `known` holds the sets that come along.

May come in: what can be claimed, and how it is told from a manifest's facts.
May not: verdicts of a run as files, or what a gate makes of them.
"""
