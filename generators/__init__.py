"""From specs to vectors."""
