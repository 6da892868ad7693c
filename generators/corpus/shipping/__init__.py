"""The corpus for people who have no checkout: the release's archives, and the installed wheel."""
