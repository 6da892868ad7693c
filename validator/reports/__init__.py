"""Reports made from results files."""
