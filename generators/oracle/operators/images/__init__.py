"""Operators of encoded images, and a decoder for each format, from the format's own document."""
