"""Names of what a release publishes beside the core of the corpus."""

# The digests of the standard corpus, in the folder of the core.
STANDARD_MANIFEST = "standard.json"
