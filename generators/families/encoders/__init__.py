"""Writers of images, one for each format, made from the format's document, as ImageDecoder's input.

They share nothing with the decoders of the oracle, which must find the same pixels.
"""
