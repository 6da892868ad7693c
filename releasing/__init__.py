"""What `make release` puts into `dist/release`: files that others take without our tools.

Each file has the same bytes wherever it is made; `python -m releasing twice` shows it.
"""
