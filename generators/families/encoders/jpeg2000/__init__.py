"""JPEG 2000, written without loss. Source: ITU-T T.800.

May come in: an image of given pixels as a codestream or a JP2 file.
May not: anything of `oracle.operators.images.jpeg2000`, which must find the same pixels.
"""
