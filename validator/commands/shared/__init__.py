"""What several commands share: options, reading results files, files that pages offer.

May come in: what two commands need.
May not: a subcommand, and work that other folders do.
"""
