"""Writers of encoded images, one a format, from the format's own document: input for ImageDecoder.

They share nothing with the decoders of the oracle, which must find the same pixels.
"""
