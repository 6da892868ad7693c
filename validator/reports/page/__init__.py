"""The parts of a page of results: signs of verdicts, the map, failures by case.

May come in: what `html.py` puts on a page, and the site on its own.
May not: a whole page, and what only the site shows.
"""
