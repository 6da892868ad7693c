"""Writers of images, one for each format, made from the format's document, as ImageDecoder's input.

They share nothing with the decoders of the oracle, which must find the same pixels.

May come in: an image of given pixels as the bytes of a format.
May not: anything of `oracle.operators.images` but the tables of VP8, numbers of its standard.
"""
