"""What operators return, each from the text of its own document alone.

May come in: one function for each operator or group of them, in folders by family.
May not: anything read from another implementation.
"""
